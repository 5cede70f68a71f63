import { Fragment, type ReactNode } from 'react'
import { piecesOf } from './pieces.ts'

/**
 * Text that somebody else wrote: an event's title, a URL, what a receiver answered. It cannot act on the text around it,
 * hides nothing, and breaks anywhere rather than push the page apart. Everything from outside is shown through this.
 */
export function Untrusted(props: {
  readonly children: string
  readonly mono?: boolean
  /** It breaks after the dots, slashes, hyphens and underscores in it, and inside its words only if they fit no line. */
  readonly isName?: boolean
}): ReactNode {
  const { children: text, mono = false, isName = false } = props
  const classes = [isName ? 'ph-wrap ph-name' : 'ph-wrap', ...(mono ? ['ph-mono'] : [])]
  return (
    <bdi className={classes.join(' ')}>
      {isName ? <Parts name={text} /> : <UntrustedPieces text={text} />}
    </bdi>
  )
}

function Parts({ name }: { readonly name: string }): ReactNode {
  return name.split(/(?<=[._/-])/).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of a name differ only in their position
    <Fragment key={place}>
      {place > 0 && <wbr />}
      <UntrustedPieces text={part} />
    </Fragment>
  ))
}

/** The text alone, inside an element that keeps it apart from others. */
export function UntrustedPieces({ text }: { readonly text: string }): ReactNode {
  return piecesOf(text).map((piece, place) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no name but their place
      <span key={place} className="ph-char" title="a character that cannot be seen">
        {piece.name}
      </span>
    ),
  )
}
