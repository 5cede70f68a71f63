/** Counts what it receives, and keeps nothing. */
export const COLLECTOR = new URL('./collectorProgram.ts', import.meta.url)

export type ToCollector = { readonly kind: 'count' }

export type FromCollector =
  | { readonly kind: 'listening'; readonly url: string }
  | { readonly kind: 'count'; readonly spans: number }
