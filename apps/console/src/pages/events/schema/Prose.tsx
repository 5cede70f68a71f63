import { Code } from '@mantine/core'

/** A sentence of the catalog, with what stands between backticks as code. */
export function Prose({ children: text }: { readonly children: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no name but their place
      <Code key={place}>{part}</Code>
    ),
  )
}
