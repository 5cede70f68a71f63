/** Parts of a message, which are rendered both as text and as HTML. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | { readonly kind: 'items'; readonly items: readonly { readonly title: string; readonly text: string }[] }
  /** The one action for the reader. */
  | { readonly kind: 'action'; readonly label: string; readonly url: string }
  /** Below everything else. */
  | { readonly kind: 'aside'; readonly text: string; readonly url: string | null }

export const paragraph = (text: string): Block => ({ kind: 'paragraph', text })
export const heading = (text: string): Block => ({ kind: 'heading', text })
