/** Event types of an operational webhook, with their labels. */
export const OPERATIONAL_TYPES = [
  ['webhook.failing', 'A webhook is failing'],
  ['webhook.recovered', 'A webhook recovered'],
  ['webhook.disabled', 'A webhook was disabled'],
  ['delivery.exhausted', 'A delivery failed'],
] as const

/** The webhook of a workspace or of the operator that receives events about other webhooks. */
export interface OperationalWebhook {
  readonly id: string
  readonly url: string
  /** Empty: all. */
  readonly events: readonly string[]
  readonly failingSince: string | null
}

export interface OperationalWithSecret {
  readonly webhook: OperationalWebhook
  /** `null`: no longer available when the request was repeated. */
  readonly secret: string | null
}

/** API of the operational webhook, of a workspace or of the operator. */
export interface OperationalApi {
  /** For cache keys. */
  readonly key: string
  /** `null`: there is none. */
  get(signal: AbortSignal): Promise<OperationalWebhook | null>
  create(
    input: { url: string; events: readonly string[] },
    idempotencyKey: string,
  ): Promise<OperationalWithSecret>
  update(changes: { url: string; events: readonly string[] }): Promise<OperationalWebhook>
  remove(): Promise<void>
  rotate(idempotencyKey: string): Promise<OperationalWithSecret>
  test(): Promise<void>
}
