import type { Workspace } from '../../../src/storage/rows.ts'
import { BY } from '../../support/testEngine.ts'
import type { MemoryStore } from '../store/memoryStore.ts'
import { type StoredWebhook, toRecord, toWebhook, toWorkspace } from '../store/rows.ts'
import type { Draws } from './draws.ts'
import type { World } from './plan.ts'

/** Share of the disabled webhooks that people enable again at each check. */
const SWITCHED_ON = 0.1
/** Share of the dead deliveries that people replay. */
const REPLAYED = 0.02

/** @returns actions of people who look after webhooks: enable disabled ones, and replay dead deliveries */
export function peopleOver(store: MemoryStore, draws: Draws): (world: World, round: number) => void {
  return ({ engine, workspaces, webhooks }, round) => {
    for (const { id, status, workspace } of store.webhooks) {
      if (status === 'on' || draws.of(30, id, round) >= SWITCHED_ON) continue
      void engine.updateWebhook(workspaces[workspace.id - 1]!, webhooks[id - 1]!, { enabled: true }, null, BY)
    }
    for (const delivery of store.deliveries) {
      if (delivery.status !== 'dead' || draws.of(31, delivery.id, round) >= REPLAYED) continue
      void engine.replay(workspaces[delivery.webhook.workspace.id - 1]!, toRecord(delivery), BY)
    }
  }
}

/** Possible actions of people; some of them more frequent than the rest. */
const ACTS = [
  ...['pause', 'pause', 'resume', 'resume', 'resume', 'turn off', 'turn on', 'turn on', 'turn on'],
  ...['move', 'choose types', 'rotate', 'delete', 'suspend', 'redeliver', 'redeliver', 'replay', 'replay'],
  ...['replay all', 'replay all', 'retry', 'retry', 'retry', 'retry all', 'retry all', 'recover', 'recover'],
] as const
type Act = (typeof ACTS)[number]

/** Probability of deleting a webhook or suspending a workspace when that is drawn. */
const SELDOM = 0.3

/**
 * @param typesOf the event types that a workspace may choose from
 * @param untilMs when people stop making changes, except that all workspaces are resumed
 * @returns actions of people who often change their minds
 */
export function busyPeopleOver(
  store: MemoryStore,
  draws: Draws,
  typesOf: (dialect: string) => readonly string[],
  untilMs: number,
): (world: World, round: number) => void {
  return (world, round) => {
    if (world.cluster.living.length === 0) return
    if (world.clock.monotonic() >= untilMs) resumeAll(store, world)
    else new Person(store, draws, typesOf, world, round).act()
  }
}

function resumeAll(store: MemoryStore, { engine }: World): void {
  for (const workspace of store.workspaces)
    if (workspace.suspendedAt !== null) ignore(engine.suspendWorkspace(toWorkspace(workspace), false, BY))
}

/** The action may fail. */
function ignore(work: Promise<unknown>): void {
  work.catch(() => {})
}

/** One action of a person. */
class Person {
  readonly #store: MemoryStore
  readonly #draws: Draws
  readonly #typesOf: (dialect: string) => readonly string[]
  readonly #world: World
  readonly #round: number

  constructor(
    store: MemoryStore,
    draws: Draws,
    typesOf: (dialect: string) => readonly string[],
    world: World,
    round: number,
  ) {
    this.#store = store
    this.#draws = draws
    this.#typesOf = typesOf
    this.#world = world
    this.#round = round
  }

  act(): void {
    const act = this.#one(ACTS, 1)!
    if ((act === 'delete' || act === 'suspend') && this.#draws.of(50, this.#round) >= SELDOM) return
    if (act === 'redeliver' || act === 'replay') this.#sendAgain(act)
    else if (act === 'retry') this.#retry()
    else if (act === 'suspend' || act === 'replay all') this.#actOnWorkspace(act)
    else this.#actOnWebhook(act)
  }

  #one<T>(all: readonly T[], matter: number): T | undefined {
    return all[Math.floor(this.#draws.of(51, matter, this.#round) * all.length)]
  }

  get #engine() {
    return this.#one(this.#world.cluster.living, 2)!.engine
  }

  #retry(): void {
    const delivery = this.#one(
      this.#store.deliveries.filter(({ status }) => status === 'pending'),
      3,
    )
    if (delivery === undefined) return
    ignore(this.#engine.retryDelivery(toWorkspace(delivery.webhook.workspace), toRecord(delivery), BY))
  }

  #sendAgain(act: 'redeliver' | 'replay'): void {
    const statuses = act === 'replay' ? ['dead'] : ['delivered', 'failed', 'canceled']
    const dialect = act === 'replay' ? 'ads' : 'content'
    const candidates = this.#store.deliveries.filter(
      ({ status, webhook }) => webhook.workspace.made.dialect === dialect && statuses.includes(status),
    )
    const delivery = this.#one(candidates, 3)
    if (delivery === undefined) return
    ignore(this.#engine[act](toWorkspace(delivery.webhook.workspace), toRecord(delivery), BY))
  }

  #actOnWorkspace(act: 'suspend' | 'replay all'): void {
    const dialects = act === 'suspend' ? ['content', 'ads'] : ['ads']
    const workspace = this.#one(
      this.#store.workspaces.filter(({ made }) => dialects.includes(made.dialect)),
      3,
    )
    if (workspace === undefined) return
    const row = toWorkspace(workspace)
    if (act === 'suspend') ignore(this.#engine.suspendWorkspace(row, row.suspendedAt === null, BY))
    else
      ignore(
        this.#engine.startReplay(
          row,
          {
            trigger: 'replay',
            webhookId: null,
            webhookPublicId: null,
            statuses: ['dead'],
            eventTypes: [],
            from: null,
            to: null,
          },
          100,
          BY,
        ),
      )
  }

  #actOnWebhook(act: Exclude<Act, 'redeliver' | 'replay' | 'retry' | 'suspend' | 'replay all'>): void {
    const webhook = this.#one(
      this.#store.webhooks.filter(({ deletedAt }) => deletedAt === null),
      3,
    )
    if (webhook === undefined) return
    const workspace = toWorkspace(webhook.workspace)
    const row = toWebhook(webhook)
    if (act === 'retry all') ignore(this.#engine.retryWebhook(workspace, row, BY))
    else if (act === 'recover') this.#recover(workspace, webhook)
    else if (act === 'delete') ignore(this.#engine.deleteWebhook(workspace, row, null, BY))
    else if (act === 'rotate') ignore(this.#engine.rotateSecret(workspace, row, null, BY))
    else {
      const changes = {
        pause: { paused: true },
        resume: { paused: false },
        'turn off': { enabled: false },
        'turn on': { enabled: true },
        move: { url: `${row.url}/${this.#round}` },
        'choose types': { eventTypes: this.#types(webhook.workspace.made.dialect) },
      }[act]
      ignore(this.#engine.updateWebhook(workspace, row, changes, null, BY))
    }
  }

  #recover(workspace: Workspace, { id: webhookId }: StoredWebhook): void {
    const exhausted = workspace.dialect === 'ads' ? 'dead' : 'failed'
    const statuses = [exhausted, 'canceled'] as const
    const filter = {
      trigger: 'recover',
      webhookId,
      webhookPublicId: null,
      statuses,
      eventTypes: [],
      from: null,
      to: null,
    } as const
    ignore(this.#engine.startReplay(workspace, filter, 100, BY))
  }

  #types(dialect: string): readonly string[] {
    const all = this.#typesOf(dialect)
    return this.#draws.of(52, this.#round) < 0.5 ? [] : [this.#one(all, 4)!]
  }
}
