import type { ReactNode } from 'react'
import { piecesOf } from './pieces.ts'

/**
 * Text that somebody else wrote: an event's title, a URL, what a receiver answered. It cannot act on the text around it,
 * hides nothing, and breaks anywhere rather than push the page apart. Everything from outside is shown through this.
 */
export function Untrusted({
  children: text,
  mono = false,
}: {
  readonly children: string
  readonly mono?: boolean
}): ReactNode {
  return (
    <bdi className={mono ? 'ph-wrap ph-mono' : 'ph-wrap'}>
      {piecesOf(text).map((piece, place) =>
        piece.kind === 'text' ? (
          piece.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no name but their place
          <span key={place} className="ph-char" title="a character that cannot be seen">
            {piece.name}
          </span>
        ),
      )}
    </bdi>
  )
}
