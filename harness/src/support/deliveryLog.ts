import type { SeenRequest } from '../receivers/scriptedReceiver.ts'
import { ApiError } from './http.ts'
import type { LoggedDelivery, WorkspaceClient } from './workspaces.ts'

const READ_AT_ONCE = 16

/** The delivery log of one webhook, whichever way its API shows it. */
export class DeliveryLog {
  readonly #workspace: WorkspaceClient
  readonly #webhookId: string
  /** What is delivered stays as it is; there may be thousands, so none is read twice. */
  readonly #delivered = new Map<string, LoggedDelivery>()

  constructor(workspace: WorkspaceClient, webhookId: string) {
    this.#workspace = workspace
    this.#webhookId = webhookId
  }

  /** @param seen requests of this webhook: where there is no list, their headers are all that names a delivery */
  async read(seen: readonly SeenRequest[]): Promise<LoggedDelivery[]> {
    const { deliveries } = this.#workspace
    if (deliveries !== null) return deliveries(this.#webhookId)
    const ids = [...new Set(seen.flatMap(({ deliveryId }) => deliveryId ?? []))]
    const read: LoggedDelivery[] = []
    for (let start = 0; start < ids.length; start += READ_AT_ONCE) {
      const chunk = ids.slice(start, start + READ_AT_ONCE)
      read.push(...(await Promise.all(chunk.map((id) => this.#readOne(id)))).filter((one) => one !== null))
    }
    return read
  }

  async #readOne(id: string): Promise<LoggedDelivery | null> {
    const known = this.#delivered.get(id)
    if (known !== undefined) return known
    try {
      const delivery = await this.#workspace.delivery(this.#webhookId, id)
      if (delivery.status === 'delivered') this.#delivered.set(id, delivery)
      return delivery
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return null
      throw error
    }
  }
}
