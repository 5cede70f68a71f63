import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { EVENTS } from '../../support/events.ts'
import { ADMIN_TOKEN } from '../../support/posthorn.ts'
import type { DialectName, WorkspaceClient } from '../../support/workspaces.ts'
import { type Answer, type Call, type Caller, codeOf, cutOffAfterMs, isOk } from '../api/caller.ts'
import { WORDINGS, type Wording } from '../api/wording.ts'
import type { Delivery, HookState, ManualSend } from '../evidence.ts'
import { Timeline } from '../timeline.ts'
import type { Receivers, Role } from './cast.ts'
import { HookUnderTest } from './hook.ts'

const TRY_AGAIN_AFTER_MS = 80

/** An answer, and the period in which the operation happened. */
interface Settled {
  readonly answer: Answer
  readonly begin: number
  readonly end: number
}

/** A workspace in which people change webhooks and read the log, one operation at a time. */
export class Account {
  readonly id: string
  readonly key: string
  readonly slug: string
  readonly dialect: DialectName
  readonly wording: Wording
  readonly hooks: HookUnderTest[] = []
  readonly sends: ManualSend[] = []
  readonly suspended = new Timeline(false)
  /** Ids of bulk replays. */
  readonly replays: string[] = []
  readonly #caller: Caller
  readonly #receivers: Receivers
  readonly #random: () => number
  readonly #complain: (text: string) => void

  constructor(params: {
    readonly workspace: Pick<WorkspaceClient, 'id' | 'key'>
    /** Unique among all workspaces of a run. */
    readonly slug: string
    readonly dialect: DialectName
    readonly caller: Caller
    readonly receivers: Receivers
    readonly random: () => number
    readonly complain: (text: string) => void
  }) {
    this.id = params.workspace.id
    this.key = params.workspace.key
    this.slug = params.slug
    this.dialect = params.dialect
    this.wording = WORDINGS[params.dialect]
    this.#caller = params.caller
    this.#receivers = params.receivers
    this.#random = params.random
    this.#complain = params.complain
  }

  /** Repeats a request until there is an answer. The request must be safe to repeat. */
  async settle(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: string,
    call: Partial<Call> = {},
  ): Promise<Settled> {
    const begin = Date.now()
    const headers = method === 'POST' ? { 'idempotency-key': randomUUID() } : {}
    for (;;) {
      const answer = await this.#caller.ask(method, path, {
        token: this.key,
        hangUpAfterMs: cutOffAfterMs(this.#random),
        ...call,
        headers: { ...headers, ...call.headers },
      })
      const isOver = answer !== null && answer.status < 500 && codeOf(answer) !== 'idempotency_key_in_use'
      if (isOver) return { answer, begin, end: Date.now() }
      if (answer !== null && answer.status !== 503 && answer.status >= 500)
        this.surprise(method, path, answer)
      await sleep(TRY_AGAIN_AFTER_MS)
    }
  }

  /** Records an answer that must not occur. */
  surprise(method: string, path: string, { status, body }: Answer): void {
    this.#complain(`${method} ${path} was answered ${status} ${JSON.stringify(body)}`)
  }

  pathOf(hook: HookUnderTest): string {
    return `${this.wording.webhooksPath(this.id)}/${hook.id}`
  }

  async createHook(role: Role, random: () => number): Promise<void> {
    const { wording, dialect } = this
    const receiver = this.#receivers[role.receiver]
    const sameRole = this.hooks.filter((hook) => hook.role === role).length
    const name = `${this.slug}-${role.name}${sameRole === 0 ? '' : sameRole}`
    const hook = new HookUnderTest({ name, dialect, role, receiver })
    const path = wording.webhooksPath(this.id)
    const types = this.typesOf(role.types)
    const body = { url: hook.receiver.urlOf(hook.path), [wording.typesMember]: types }
    const behavior = role.behavior(random)
    // Added before the webhook exists: its first request may arrive before the answer that shows its secret.
    await hook.receiver.add({ path: hook.path, scheme: schemeOf(dialect), secrets: [], behavior })
    const { answer, begin, end } = await this.settle('POST', path, { body })
    if (answer.status !== 201) return this.surprise('POST', path, answer)
    const created = answer.body as Readonly<Record<string, string>>
    await hook.receiver.addSecret(hook.path, created[wording.secretMember]!)
    hook.id = created.id!
    hook.etag = answer.etag ?? ''
    hook.secrets.push({ begin, end })
    hook.states.become({ status: 'on', types, path: hook.path }, begin, end)
    if (role.mayBeGone) hook.states.mayBecome({ ...hook.states.last, status: 'off' }, begin)
    this.hooks.push(hook)
  }

  typesOf(which: Role['types']): string[] {
    const { common, rare } = EVENTS[this.dialect]
    if (which !== 'all') return [which === 'common' ? common : rare]
    // One service takes an empty list for all types.
    return this.dialect === 'content' ? [common, rare] : []
  }

  /** Changes a webhook. @param next its resulting state */
  async patch(hook: HookUnderTest, members: object, next: Partial<HookState>): Promise<void> {
    const path = this.pathOf(hook)
    const begin = Date.now()
    for (;;) {
      const headers = { 'if-match': hook.etag }
      const { answer } = await this.settle('PATCH', path, { body: members, headers })
      if (answer.status !== 200 && answer.status !== 412) return this.surprise('PATCH', path, answer)
      hook.etag = answer.etag ?? ''
      // An earlier try changed it, or the workspace was suspended in the meantime.
      if (answer.status === 200 || (await this.#shows(hook, members))) break
    }
    hook.states.become({ ...hook.states.last, ...next }, begin, Date.now())
  }

  /** The current settings of a webhook. */
  async read(hook: HookUnderTest): Promise<Readonly<Record<string, unknown>>> {
    const path = this.pathOf(hook)
    const { answer } = await this.settle('GET', path)
    if (answer.status !== 200) this.surprise('GET', path, answer)
    hook.etag = answer.etag ?? ''
    return answer.body as Readonly<Record<string, unknown>>
  }

  async #shows(hook: HookUnderTest, members: object): Promise<boolean> {
    const shown = await this.read(hook)
    return Object.entries(members).every(([name, value]) =>
      name === 'paused' ? (shown.status === 'paused') === value : textOf(shown[name]) === textOf(value),
    )
  }

  async suspend(isSuspended: boolean): Promise<void> {
    const path = `/admin/v1/workspaces/${this.id}/${isSuspended ? 'suspend' : 'resume'}`
    // If cut off, it could still be carried out after the next change.
    const call = { token: ADMIN_TOKEN, hangUpAfterMs: null }
    const { answer, begin, end } = await this.settle('POST', path, call)
    if (!isOk(answer)) this.surprise('POST', path, answer)
    this.suspended.become(isSuspended, begin, end)
  }

  /** @param filter for the query, such as `&status=pending` */
  async log(hook: HookUnderTest, filter = '', pages = Number.POSITIVE_INFINITY): Promise<Delivery[]> {
    const { logPath, cursorMember, toDelivery } = this.wording
    const deliveries: Delivery[] = []
    let cursor: string | null = null
    for (let page = 0; page < pages; page++) {
      const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const path = `${logPath(this.id, hook.id)}${filter}${from}`
      const { answer } = await this.settle('GET', path)
      if (answer.status !== 200) {
        this.surprise('GET', path, answer)
        return deliveries
      }
      const body = answer.body as Readonly<Record<string, unknown>> & { readonly data: readonly unknown[] }
      deliveries.push(...body.data.map(toDelivery))
      cursor = body[cursorMember] as string | null
      if (cursor === null) break
    }
    return deliveries
  }
}

/** The order of event types does not matter. */
const textOf = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.toSorted() : value)

const schemeOf = (dialect: DialectName) => (dialect === 'content' ? 'standard' : 'service')
