import { Code } from '@mantine/core'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** A sentence of the catalog, with what stands between backticks as code. */
export function Prose({ children: text }: { readonly children: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no name but their place
      <Untrusted key={place}>{part}</Untrusted>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no name but their place
      <Code key={place}>
        <Untrusted>{part}</Untrusted>
      </Code>
    ),
  )
}
