import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** How requests to receivers name their sender. */
export const USER_AGENT = `Posthorn/${VERSION}`
