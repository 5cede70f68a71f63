/** The yardstick: signs and sends with undici, as many at once as do best, and keeps no record of anything. */
export interface BareLoopStart {
  readonly origin: string
  readonly paths: readonly string[]
  /** Request bodies, sent in turn. */
  readonly bodies: readonly string[]
  readonly secret: string
  readonly inFlight: number
  /** Of receivers that speak HTTPS, PEM. */
  readonly ca: string | null
}

export const BARE_LOOP = new URL('./bareLoopProgram.ts', import.meta.url)
