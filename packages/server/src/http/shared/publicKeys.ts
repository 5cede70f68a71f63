import type { ServedProfile } from '../../profiles/compile.ts'
import type { SealedSecret } from '../../storage/rows.ts'
import type { Context, ServiceContext } from './context.ts'

/** @returns the public keys of secrets, in their order. A secret that is older than the profile's key pairs has none. */
export const publicKeysOf = (
  { secretBox }: Pick<Context, 'secretBox'>,
  { secrets: scheme }: ServedProfile,
  webhook: string,
  secrets: readonly SealedSecret[],
): string[] => secrets.flatMap(({ sealed }) => scheme.publicKey(secretBox.open(sealed, webhook)) ?? [])

/** The public key of a webhook's newest secret; `null`: it has none. */
export async function newestPublicKey(ctx: ServiceContext, webhook: string): Promise<string | null> {
  const newest = { publicId: webhook, limit: 1, now: ctx.clock.now() }
  const found = await ctx.storage.webhooks.getSigningSecrets(newest)
  return publicKeysOf(ctx, ctx.dialect, webhook, found?.secrets ?? [])[0] ?? null
}
