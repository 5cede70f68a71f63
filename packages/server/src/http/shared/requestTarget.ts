const ORIGIN = /^https?:\/\/[^/?]*/i

/** The origin of a request target in absolute form, as proxies get it; empty for a path. The router ignores it. */
export const originOf = (target: string): string =>
  target.startsWith('/') ? '' : (ORIGIN.exec(target)?.[0] ?? '')
