import type { Context } from './context.ts'

/**
 * Whether this node serves a service, asking the store if it does not know of it: another node may just have added it.
 * @param dialect as a workspace names it
 */
export async function knowsService(
  { dialects, services }: Pick<Context, 'dialects' | 'services'>,
  dialect: string,
): Promise<boolean> {
  if (dialects.has(dialect)) return true
  await services.refresh()
  return dialects.has(dialect)
}
