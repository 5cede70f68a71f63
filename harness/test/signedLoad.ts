import { setTimeout as sleep } from 'node:timers/promises'
import type { ScriptedReceiver, SeenRequest } from '../src/receivers/scriptedReceiver.ts'
import { EVENTS } from '../src/support/events.ts'
import type { Api } from '../src/support/http.ts'
import { eventually } from '../src/support/waiting.ts'
import type { WorkspaceClient } from '../src/support/workspaces.ts'

export const WEBHOOKS = 8
/**
 * The receiver tries all secrets of a webhook on each of its requests: on a busy machine, more would take it
 * minutes.
 */
const PACE_MS = { publish: 100, rotate: 400 } as const
const { common, make } = EVENTS.content

/**
 * Webhooks under load: events are published and secrets replaced all the time, whatever nodes are running.
 */
export class SignedLoad {
  readonly accepted: string[] = []
  readonly #workspace: WorkspaceClient
  readonly #receiver: ScriptedReceiver
  readonly #api: Api
  readonly #rotateEveryMs: number
  readonly #hooks: { readonly id: string; readonly path: string }[] = []
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()
  rotated = 0

  /** @param rotateEveryMs pause between two rotations of secrets */
  constructor(
    workspace: WorkspaceClient,
    receiver: ScriptedReceiver,
    api: Api,
    rotateEveryMs: number = PACE_MS.rotate,
  ) {
    this.#workspace = workspace
    this.#receiver = receiver
    this.#api = api
    this.#rotateEveryMs = rotateEveryMs
  }

  async start(): Promise<void> {
    for (let at = 0; at < WEBHOOKS; at++) {
      const hook = `/hook-${at}`
      const { id, secret } = await this.#workspace.createWebhook(this.#receiver.urlOf(hook), [common])
      await this.#receiver.add({
        path: hook,
        scheme: 'standard',
        secrets: [secret],
        behavior: { kind: 'prompt' },
      })
      this.#hooks.push({ id, path: hook })
    }
    this.#work = Promise.all([this.#publish(), this.#rotate()])
  }

  /** Resolves once this many more events were accepted. */
  async accepts(more: number): Promise<void> {
    const before = this.accepted.length
    await eventually(() => this.accepted.length >= before + more || null, {
      withinMs: 60_000,
      what: `acceptance of ${more} more events`,
    })
  }

  /** Ends the load. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#work
  }

  /** Requests of accepted events; resolves once each webhook has received each event. */
  async arrived(): Promise<readonly SeenRequest[]> {
    const accepted = new Set(this.accepted)
    return eventually(
      async () => {
        const requests = await this.#receiver.requests()
        const seen = new Set(
          requests.flatMap(({ hook, eventId }) => (accepted.has(eventId) ? [`${hook} ${eventId}`] : [])),
        )
        return seen.size === accepted.size * WEBHOOKS ? requests : null
      },
      { withinMs: 120_000, everyMs: 2_000, what: 'delivery of all events to all webhooks' },
    )
  }

  async #publish(): Promise<void> {
    while (!this.#isOver) {
      // A publish in flight at a kill may be stored or not; it was not accepted.
      this.accepted.push(...(await this.#workspace.publish([make(common)]).catch(() => [])))
      await sleep(PACE_MS.publish)
    }
  }

  async #rotate(): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const { id, path: hook } = this.#hooks[turn % WEBHOOKS]!
      const url = `${this.#workspace.webhookPath(id)}/rotate-secret`
      const made = await this.#api
        .post<{ signing_secret: string }>(url, { token: this.#workspace.key })
        .catch(() => null)
      if (made === null) {
        // The store may have a secret that was never shown; another one replaces it, and its requests are
        // also signed with the previous one.
        await sleep(PACE_MS.publish)
        continue
      }
      await this.#receiver.addSecret(hook, made.signing_secret)
      this.rotated++
      await sleep(this.#rotateEveryMs)
    }
  }
}
