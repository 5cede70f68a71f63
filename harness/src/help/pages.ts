/** A page of each kind: text, code, wide tables, pictures and drawings. */
export const LOOKED_AT = [
  '/help/',
  '/help/start',
  '/help/console',
  '/help/configuration',
  '/help/state-machine',
  '/help/receive/node',
  '/help/operations/troubleshooting',
  '/help/changelog',
] as const

/** Wide in light and dark, and narrow. */
export const LOOKS = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 390 },
] as const
