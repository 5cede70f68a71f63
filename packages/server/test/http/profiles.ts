import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { camelCase } from '../../src/profiles/eventForm.ts'
import type { ProfileDocument } from '../../src/profiles/format.ts'
import { type Profile, profileOf } from '../../src/profiles/profile.ts'
import type { Answer, Call, TestService, TestWorkspace } from './service.ts'

const read = (path: string): ProfileDocument =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as ProfileDocument

/** A profile that ships with Posthorn, or that of the toy service. */
export const documentOf = (name: string): ProfileDocument =>
  read(name === 'toy' ? '../support/toy.json' : `../../profiles/${name}.json`)

/** A short profile. */
export const billing = (changes: object = {}): ProfileDocument => ({
  profile: 1,
  name: 'billing',
  title: 'Billing',
  catalog: {
    types: [
      {
        type: 'invoice.paid',
        title: 'Invoice paid',
        schema: {
          type: 'object',
          properties: { invoice_id: { type: 'string' } },
          required: ['invoice_id'],
          additionalProperties: false,
        },
        example: { invoice_id: 'inv_1001' },
      },
    ],
  },
  ...changes,
})

/** Calls of one workspace of any service, in the naming of its profile. */
export class ProfileClient {
  readonly profile: Profile
  readonly #service: TestService
  readonly ws: TestWorkspace

  constructor(service: TestService, document: ProfileDocument, ws: TestWorkspace) {
    this.#service = service
    this.profile = profileOf(document)
    this.ws = ws
  }

  static async open(service: TestService, document: ProfileDocument): Promise<ProfileClient> {
    return new ProfileClient(service, document, await service.workspace(document.name))
  }

  /** A member in the naming of the service. */
  member(name: string): string {
    return this.profile.case === 'camel' ? camelCase(name) : name
  }

  call(method: Call['method'], path: string, body?: unknown, key = this.ws.key): Promise<Answer> {
    const root = this.profile.paths === 'flat' ? '/api/v1' : `/v1/workspaces/${this.ws.slug}`
    return this.#service.call({ method, url: root + path, key, body })
  }

  async webhook(body: object = {}) {
    const types = this.profile.webhook.allTypes ? {} : { [this.profile.words.types!]: [this.type] }
    const asked = { url: this.#service.receiver.url, ...types, ...body }
    const { status, json } = await this.call('POST', '/webhooks', asked)
    expect([status, json]).toEqual([201, expect.anything()])
    return json
  }

  /** The first type of the catalog, or one of an open catalog. */
  get type(): string {
    const { types } = this.profile.catalog
    return types.find(({ subscribable = true }) => subscribable)?.type ?? 'invoice.paid'
  }

  event(changes: object = {}) {
    const { event, catalog } = this.profile
    const entry = catalog.types.find(({ type }) => type === this.type)
    const own = Object.entries(event.members).flatMap(([name, { example, required }]) =>
      required ? [[name, entry?.members?.[name] ?? example]] : [],
    )
    return {
      type: this.type,
      ...Object.fromEntries(own),
      [event.data]: entry?.example ?? { invoice_id: 'inv_1001' },
      ...changes,
    }
  }

  async publish(changes: object = {}): Promise<string> {
    const { status, json } = await this.call('POST', '/events', this.event(changes))
    expect([status, json]).toEqual([202, expect.anything()])
    return json.id
  }

  get log(): string {
    return this.profile.paths === 'flat' ? '/webhook-deliveries' : '/deliveries'
  }

  delivery(webhook: string, id: string): string {
    return this.profile.paths === 'flat'
      ? `/webhook-deliveries/${id}`
      : `/webhooks/${webhook}/deliveries/${id}`
  }
}
