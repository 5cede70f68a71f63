import type { Dialect } from '../../core/dialect.ts'
import type { ApiKey, Creator } from '../../storage/rows.ts'

/**
 * What a caller may see of events, deliveries and webhooks. Presenters use it, so that no route has a rule of its own. Members
 * see everything in their workspace; so do keys with the scope that `Dialect.contentsScope` names.
 */
export interface Visibility {
  /** Whether event bodies, response excerpts and signatures are shown. */
  readonly contents: boolean
  /** @returns what `read` does, or `null` where contents are not shown */
  readonly contentsOrNull: <T>(read: () => T) => T | null
  /**
   * URLs often contain tokens in their paths: without `contents`, only the scheme and the host are shown, unless the caller
   * created the webhook.
   * @param createdBy of the webhook; `null`: it was deleted
   */
  readonly url: (url: string, createdBy: Creator | null) => string
  /** Whose webhooks have whole URLs; `null`: all. */
  readonly wholeUrlsOf: Creator | null
}

export const SEES_ALL: Visibility = {
  contents: true,
  contentsOrNull: (read) => read(),
  url: (url) => url,
  wholeUrlsOf: null,
}

export function visibilityOfKey({ contentsScope }: Dialect, { publicId, scopes }: ApiKey): Visibility {
  if (contentsScope === null || scopes.includes(contentsScope)) return SEES_ALL
  return {
    contents: false,
    contentsOrNull: () => null,
    url: (url, createdBy) =>
      createdBy?.type === 'key' && createdBy.publicId === publicId ? url : new URL(url).origin,
    wholeUrlsOf: { type: 'key', publicId },
  }
}
