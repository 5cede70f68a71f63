import type { Kind } from '../queries/query.ts'

type Marked = { readonly kind?: Kind }

const mark = <Run extends object>(run: Run, kind: Kind): Run => Object.assign(run, { kind })

/** A read that people ask for. It sees every write that was answered before. */
export const listing = <Run extends object>(run: Run): Run => mark(run, 'list')

/** A small read of the thread that writes. */
export const looking = <Run extends object>(run: Run): Run => mark(run, 'look')

/** What is not marked writes. */
export const kindOf = (run: object): Kind => (run as Marked).kind ?? 'write'

export const asKind = mark
