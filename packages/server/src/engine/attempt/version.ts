import manifest from '../../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/**
 * The version in the User-Agent of requests. It is that of the form of the requests, not of the release: the log shows past
 * requests unchanged, whatever release sent them.
 */
export const USER_AGENT = 'Posthorn/1'
