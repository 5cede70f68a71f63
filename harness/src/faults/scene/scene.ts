import { grouped } from '../../support/grouped.ts'
import { randomFrom } from '../../support/random.ts'
import { eventually } from '../../support/waiting.ts'
import { createWorkspace, type DialectName } from '../../support/workspaces.ts'
import type { Caller } from '../api/caller.ts'
import type { HookEvidence, Publish } from '../evidence.ts'
import { Account } from './account.ts'
import { CAST, type Receivers } from './cast.ts'

const DIALECTS: readonly DialectName[] = ['content', 'ads']
const CALM_WITHIN_MS = 60_000

export interface SceneParams {
  /** Unique among all scenes of a run. */
  readonly name: string
  readonly url: () => string
  readonly caller: Caller
  readonly receivers: Receivers
  readonly seed: number
  readonly complain: (text: string) => void
}

/** The workspaces of one round, with webhooks of every kind. */
export class Scene {
  readonly accounts: readonly Account[]
  readonly #receivers: Receivers
  readonly #complain: SceneParams['complain']

  private constructor(accounts: readonly Account[], { receivers, complain }: SceneParams) {
    this.accounts = accounts
    this.#receivers = receivers
    this.#complain = complain
  }

  static async setUp(params: SceneParams): Promise<Scene> {
    const { name, url, caller, receivers, seed, complain } = params
    const random = randomFrom(seed)
    await Promise.all(Object.values(receivers).map((receiver) => receiver.forget()))
    const accounts: Account[] = []
    for (const dialect of DIALECTS) {
      const slug = `${name}-${dialect}`
      const workspace = await createWorkspace(url, dialect, slug)
      const account = new Account({ workspace, slug, dialect, caller, receivers, random, complain })
      for (const role of CAST[dialect]) await account.createHook(role, random)
      accounts.push(account)
    }
    return new Scene(accounts, params)
  }

  /** From now on receivers that hang or misbehave answer promptly. */
  async calmDown(): Promise<void> {
    for (const { hooks } of this.accounts) {
      for (const { role, receiver, path } of hooks)
        if (role.calmsDown) await receiver.behave(path, { kind: 'prompt' })
    }
  }

  /** Waits until nothing is pending that should not be. @throws Error that describes what is left */
  async calm(): Promise<void> {
    let left = ''
    await eventually(
      async () => {
        left = await this.#left()
        return left === '' ? true : null
      },
      { withinMs: CALM_WITHIN_MS, everyMs: 100, what: 'calm' },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}: ${left}`)
    })
  }

  async #left(): Promise<string> {
    for (const receiver of Object.values(this.#receivers)) {
      const { underWay } = await receiver.count()
      if (underWay > 0) return `${underWay} requests are under way`
    }
    for (const account of this.accounts) {
      for (const id of account.replays) {
        const { answer } = await account.settle('GET', `/api/v1/webhook-deliveries/replays/${id}`)
        const { status } = answer.body as { readonly status: string }
        if (status !== 'finished') return `replay ${id} is ${status}`
      }
      for (const hook of account.hooks) {
        if (hook.isDeleted || hook.states.last.status === 'paused') continue
        const pending = await account.log(hook, '&status=pending', 1)
        if (pending.length > 0) return `${pending.length} deliveries of ${hook.name} are pending`
      }
    }
    return ''
  }

  /** Everything known about each webhook. */
  async gather(publishes: readonly Publish[]): Promise<HookEvidence[]> {
    const seen = await Promise.all(Object.values(this.#receivers).map((receiver) => receiver.requests()))
    const requests = grouped(seen.flat(), ({ hook }) => hook)
    const evidence: HookEvidence[] = []
    for (const account of this.accounts) {
      for (const hook of account.hooks) {
        evidence.push({
          ...hook.evidence(),
          suspended: account.suspended,
          deliveries: hook.isDeleted ? null : await account.log(hook),
          requests: (requests.get(hook.path) ?? []).toSorted((a, b) => a.seenAt - b.seenAt),
          publishes: publishes.filter(({ workspace }) => workspace === account.id),
          sends: account.sends.filter((send) => send.hook === hook.name),
        })
        requests.delete(hook.path)
      }
    }
    for (const [path, strays] of requests)
      this.#complain(`${strays.length} requests came to ${path}, which no webhook of this round has`)
    return evidence
  }
}
