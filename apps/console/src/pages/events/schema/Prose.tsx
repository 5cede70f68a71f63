import { Code } from '@mantine/core'
import { Untrusted } from '../../../shared/untrusted/Untrusted.tsx'

/** Text of the catalog, with code in backticks. */
export function Prose({ children: text }: { readonly children: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no identity but their index
      <Untrusted key={place}>{part}</Untrusted>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no identity but their index
      <Code key={place}>
        <Untrusted>{part}</Untrusted>
      </Code>
    ),
  )
}
