import manifest from '../../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/**
 * How requests to receivers name their sender. The number is that of the form of the requests, not of the release: the
 * log shows past requests as they were, whatever release made them.
 */
export const USER_AGENT = 'Posthorn/1'
