import type { Kind } from '../queries/query.ts'

type Marked<K extends Kind> = { readonly kind: K }

const mark = <Run extends object, K extends Kind>(run: Run, kind: K): Run & Marked<K> =>
  Object.assign(run, { kind })

/** A read that people ask for. It sees every write that was answered before. */
export const listing = <Params, Result>(
  run: (params: Params) => Result,
): ((params: Params) => Result) & Marked<'list'> => mark(run, 'list')

/** A small read of the thread that writes. */
export const looking = <Params, Result>(
  run: (params: Params) => Result,
): ((params: Params) => Result) & Marked<'look'> => mark(run, 'look')

/** What is not marked writes. */
export const kindOf = (run: object): Kind => (run as Partial<Marked<Kind>>).kind ?? 'write'

export const asKind = mark
