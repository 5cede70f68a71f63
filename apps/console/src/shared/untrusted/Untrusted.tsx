import { Fragment, type ReactNode } from 'react'
import { piecesOf } from './pieces.ts'

/**
 * Text from outside, such as an event title, a URL or a response. It cannot affect the text around it, hides nothing, and
 * wraps instead of overflowing. All untrusted text is rendered through this component.
 */
export function Untrusted(props: {
  readonly children: string
  readonly mono?: boolean
  /** Wraps after dots, slashes, hyphens and underscores; within a word only if the word is longer than a line. */
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

/** The text without its wrapper. The parent element must isolate it. */
export function UntrustedPieces({ text }: { readonly text: string }): ReactNode {
  return piecesOf(text).map((piece, place) =>
    piece.kind === 'text' ? (
      piece.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity but their index
      <span key={place} className="ph-char" title="invisible character">
        {piece.name}
      </span>
    ),
  )
}
