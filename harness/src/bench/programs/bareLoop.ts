/** The baseline: signs and sends with undici at its best concurrency, and records nothing. */
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
