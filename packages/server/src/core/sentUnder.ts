/** Versions of webhooks are below this, so that both versions fit in one number. */
const PROFILE_STEP = 2 ** 32

/**
 * The versions that an attempt was sent under, as one number, so that an attempt stores only one: the version of the webhook,
 * and of the profile if it has versions.
 * @param profileVersion 0: the profile is built in
 */
export const sentUnder = (webhookVersion: number, profileVersion: number): number =>
  profileVersion * PROFILE_STEP + webhookVersion

/** The versions in {@link sentUnder}. */
export const versionsOfAttempt = (under: number): { readonly webhook: number; readonly profile: number } => ({
  webhook: under % PROFILE_STEP,
  profile: Math.floor(under / PROFILE_STEP),
})
