/** Event types of an operational webhook, with their labels. */
export const OPERATIONAL_TYPES = [
  ['webhook.failing', 'A webhook is failing'],
  ['webhook.recovered', 'It receives again'],
  ['webhook.disabled', 'A webhook was disabled'],
  ['delivery.exhausted', 'A delivery ended without success'],
] as const

/** The address that a workspace, or the operator, names for what happens to webhooks. */
export interface OperationalWebhook {
  readonly id: string
  readonly url: string
  /** Empty: all. */
  readonly events: readonly string[]
  readonly failingSince: string | null
}

export interface OperationalWithSecret {
  readonly webhook: OperationalWebhook
  /** `null`: a repeat of the request came too late to be shown it. */
  readonly secret: string | null
}

/** The calls about it, of a workspace or of the operator. */
export interface OperationalApi {
  /** Names it in caches. */
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
