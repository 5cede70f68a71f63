import type { ApiClient, Call } from '../../api/client.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import { eventually } from '../../support/waiting.ts'
import type { Values } from './documentStage.ts'

export interface Made {
  readonly id: string
  readonly key: string
  readonly token: string
  readonly data: readonly { readonly id: string; readonly webhook_id: string }[]
  readonly next_cursor?: string | null
  readonly nextCursor?: string | null
  readonly ack?: string
}

/** Receivers: one that accepts, one that fails, and one that asks for later retries. */
export interface Targets {
  readonly good: string
  readonly failing: string
  readonly postponing: string
}

/** Published to each workspace, more than fit on one page. */
export const EVENTS = 30

/** Makes the calls that create the setup. */
export class Provisioning {
  readonly #client: ApiClient

  constructor(client: ApiClient) {
    this.#client = client
  }

  async make(operation: string, call: Call): Promise<Made> {
    const { status, json, text } = await this.#client.call<Made>(operation, call)
    if (status >= 300) throw new Error(`${operation} answered ${status}: ${text}`)
    return json
  }

  admin(operation: string, params: Values, json?: object): Promise<Made> {
    return this.make(operation, { key: ADMIN_TOKEN, params, ...(json === undefined ? {} : { json }) })
  }

  async workspace(dialect: string, slug: string): Promise<Made> {
    return this.admin('createWorkspace', {}, { dialect, slug, name: 'Schemathesis' })
  }

  async member(ws: string, name: string): Promise<Made> {
    return this.admin(
      'createMember',
      { ws },
      { email: `${name}-${ws.replaceAll('_', '-')}@acme.example`, name, role: 'owner' },
    )
  }

  async session(ws: string, id: string): Promise<string> {
    return (await this.admin('createSession', { ws, id }, { minutes: 1440 })).token
  }

  /** The first delivery of a list, once there is one. */
  delivery(operation: string, call: Call, what: string): Promise<string> {
    const first = async () => (await this.make(operation, call)).data[0]?.id ?? null
    return eventually(first, { withinMs: 30_000, what })
  }
}
