import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { FailureLog } from '../../src/engine/log/failureLog.ts'
import { MOST_BLOCKED } from '../../src/outbox/limits.ts'
import { PostgresOutbox } from '../../src/outbox/postgres/outbox.ts'
import type { EventPublisher, PublishOutcome } from '../../src/outbox/publisher.ts'
import { Relay } from '../../src/outbox/relay.ts'
import type { Backlog, Outbox } from '../../src/outbox/source.ts'
import { SqliteOutbox } from '../../src/outbox/sqlite/outbox.ts'
import { eventOf, type Subject, sqliteSubject } from './subjects.ts'

const TIMEOUT_MS = 20_000

/** Answers as the test scripts it. */
class ScriptedPublisher implements EventPublisher {
  /** The `n` of published events, by workspace. */
  readonly published = new Map<string, number[]>()
  /** One answer for each call; afterwards everything is published. */
  readonly next: ((workspace: string, numbers: readonly number[]) => PublishOutcome | null)[] = []
  /** The answer of a workspace as long as it is here. */
  readonly blocked = new Map<string, PublishOutcome>()
  rejects: (n: number) => boolean = () => false
  calls = 0

  async publish(workspace: string, events: readonly string[]): Promise<PublishOutcome> {
    this.calls += 1
    const numbers = events.map((event) => (JSON.parse(event) as { data: { n: number } }).data.n)
    const scripted = this.next.shift()?.(workspace, numbers) ?? this.blocked.get(workspace)
    if (scripted != null) return scripted
    const rejected = numbers.flatMap((n, position) =>
      this.rejects(n) ? [{ position, reason: `${n} is odd` }] : [],
    )
    if (rejected.length > 0) return { outcome: 'rejected', events: rejected, reason: '422: odd' }
    const before = this.published.get(workspace) ?? []
    this.published.set(workspace, [...before, ...numbers.filter((n) => !before.includes(n))])
    return { outcome: 'published', repeated: 0 }
  }
}

describe('relay of an outbox', () => {
  let subject: Subject
  let publisher: ScriptedPublisher
  let relays: Relay[]
  let logged: string[]
  let fields: object[]
  let backlogs: (Backlog | null)[]

  beforeEach(async () => {
    subject = await sqliteSubject()
    publisher = new ScriptedPublisher()
    relays = []
    logged = []
    fields = []
    backlogs = []
  })
  afterEach(async () => {
    for (const relay of relays) await relay.stop()
    await subject.close()
  })

  function startRelay(): Relay {
    const relay = newRelay(subject.outbox)
    relay.start()
    return relay
  }

  function newRelay(outbox: Outbox): Relay {
    const log = (field: object, message: string) => {
      fields.push(field)
      logged.push(message)
    }
    const logger = { info: log, warn: log, error: log }
    const relay = new Relay({
      outbox,
      publisher,
      clock: systemClock,
      log: logger,
      failureLog: new FailureLog(systemClock, logger),
      observer: {
        published() {},
        held() {},
        blockedWorkspaces() {},
        backlog: (backlog) => backlogs.push(backlog),
        stored() {},
        reachable() {},
      },
    })
    relays.push(relay)
    return relay
  }

  async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS
    while (!(await condition())) {
      if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  const isPublished = (workspace: string, numbers: readonly number[]) => () =>
    JSON.stringify(publisher.published.get(workspace)) === JSON.stringify(numbers)
  /** A read from outside; it changes nothing. */
  async function waiting(): Promise<readonly string[]> {
    const session = await subject.outbox.open('onlooker')
    const workspaces = await session.workspacesWaiting()
    await session.close()
    return workspaces
  }
  const failed = () => subject.outbox.failed({ workspace: null, ids: null }, 100)

  it('ends if its outbox was never opened and a retry does not help', async () => {
    const relay = newRelay(new SqliteOutbox({ file: '/nowhere/shop.db', clock: systemClock }))
    const error = await new Promise<Error>((unusable) => relay.start({ unusable }))
    expect(error.message).toBe('/nowhere/shop.db does not exist: check the path after sqlite:')
    expect(logged).toEqual([])
  })

  it('retries if it may help, and logs the reason without a stack', async () => {
    const url = 'postgres://127.0.0.1:9/shop'
    const relay = newRelay(new PostgresOutbox({ url, schema: 'posthorn', clock: systemClock }))
    relay.start({ unusable: (error) => logged.push(error.message) })
    await until('the log', () => logged.length > 0)
    expect(logged).toEqual(['relay of the outbox 127.0.0.1:9/shop failed; retrying'])
    expect(fields).toMatchObject([
      { reason: '127.0.0.1:9/shop cannot be reached: connect ECONNREFUSED 127.0.0.1:9' },
    ])
  })

  it('publishes emitted events in order', async () => {
    startRelay()
    await subject.emit('acme', eventOf(1), eventOf(2))
    await until('both events', isPublished('acme', [1, 2]))
    await subject.emit('acme', eventOf(3))
    await until('the third event', isPublished('acme', [1, 2, 3]))
  })

  it('publishes for others while a workspace that emitted much is slow', async () => {
    let goOn = () => {}
    const hangs = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const publish = publisher.publish.bind(publisher)
    publisher.publish = async (workspace, events) => {
      if (workspace === 'acme') await hangs
      return publish(workspace, events)
    }
    const many = Array.from({ length: 20_000 }, (_, n) => n)
    await subject.emit('acme', ...many.map(eventOf))
    startRelay()
    await subject.emit('beta', eventOf(1))
    await until('the event behind many of another workspace', isPublished('beta', [1]))
    goOn()
    await until('all events', isPublished('acme', many))
  })

  it('stops reading while events of too many workspaces wait, and continues when some were published', async () => {
    const session = await subject.outbox.open('earlier')
    await session.keep()
    const names = Array.from({ length: MOST_BLOCKED }, (_, n) => `w${n}`)
    await session.hold(
      names.map((workspace, n) => {
        const event = JSON.stringify({ id: `evt_${n}`, ...eventOf(n) })
        const row = { position: String(1_000_000 + n), shard: 0, workspace, event, emittedAt: Date.now() }
        return { row, state: 'waiting', reason: 'no key' }
      }),
    )
    await session.close()
    for (const name of names)
      publisher.blocked.set(name, { outcome: 'blocked', reason: 'no key', retryAfterMs: null })
    await subject.emit('acme', eventOf(1))
    startRelay()
    await until('the message', () => logged.includes('reading an outbox failed; retrying'))
    expect(publisher.published.has('acme')).toBe(false)
    publisher.blocked.clear()
    await until('the event behind them', isPublished('acme', [1]))
  })

  it('holds rejected events as failed, and publishes later ones', async () => {
    publisher.rejects = (n) => n % 2 === 1
    await subject.emit('acme', ...[1, 2, 3, 4].map(eventOf))
    startRelay()
    await until('the even events', isPublished('acme', [2, 4]))
    await until('the odd events to fail', async () => (await failed()).length === 2)
    expect((await failed()).map(({ reason }) => reason)).toEqual(['1 is odd', '3 is odd'])
    expect(logged).toContain('outbox: events failed because they were rejected, see `posthorn outbox failed`')
  })

  it('publishes failed events that are retried', async () => {
    publisher.rejects = (n) => n === 1
    startRelay()
    await subject.emit('acme', eventOf(1))
    await until('the event to fail', async () => (await failed()).length === 1)
    publisher.rejects = () => false
    await subject.outbox.retry({ workspace: null, ids: null })
    await until('the event', isPublished('acme', [1]))
    expect(await failed()).toEqual([])
  })

  it('finds the failing event if the answer does not name it', async () => {
    publisher.next.push(
      ...Array.from({ length: 20 }, () => (_: string, numbers: readonly number[]) => {
        if (!numbers.includes(37)) return null
        return { outcome: 'rejected' as const, events: [], reason: '413: too large' }
      }),
    )
    await subject.emit('acme', ...Array.from({ length: 100 }, (_, n) => eventOf(n)))
    startRelay()
    await until('the event to fail', async () => (await failed()).length === 1)
    expect((await failed())[0]!.reason).toBe('413: too large')
    const others = Array.from({ length: 100 }, (_, n) => n).filter((n) => n !== 37)
    await until('all others', isPublished('acme', others))
  })

  it('continues with others while a workspace cannot publish, and then keeps its order', async () => {
    publisher.blocked.set('acme', { outcome: 'blocked', reason: '401: no such key', retryAfterMs: 20 })
    startRelay()
    await subject.emit('acme', eventOf(1))
    await subject.emit('beta', eventOf(2))
    await until('the other workspace', isPublished('beta', [2]))
    await subject.emit('acme', eventOf(3), eventOf(4))
    await subject.emit('beta', eventOf(5))
    await until('the other workspace', isPublished('beta', [2, 5]))
    expect(publisher.published.has('acme')).toBe(false)
    publisher.blocked.clear()
    await until('the workspace', isPublished('acme', [1, 3, 4]))
    await subject.emit('acme', eventOf(6))
    await until('the workspace', isPublished('acme', [1, 3, 4, 6]))
    expect(
      logged.filter(
        (message) => message === 'outbox: workspace blocked, its events wait, see `posthorn outbox waiting`',
      ),
    ).toHaveLength(1)
  })

  it('publishes waiting rows before newer ones, also after a restart', async () => {
    publisher.blocked.set('acme', { outcome: 'blocked', reason: '429: quota', retryAfterMs: 60_000 })
    const first = startRelay()
    await subject.emit('acme', eventOf(1), eventOf(2))
    await until('a refusal', () => publisher.calls > 0)
    await until('rows to wait', async () => (await waiting()).includes('acme'))
    await first.stop()
    publisher.blocked.clear()
    await subject.emit('acme', eventOf(3))
    startRelay()
    await until('all events', isPublished('acme', [1, 2, 3]))
  })

  it('publishes none of the events dropped while they waited, and later events in order', async () => {
    publisher.blocked.set('acme', { outcome: 'blocked', reason: '404: no such workspace', retryAfterMs: 20 })
    startRelay()
    await subject.emit('acme', eventOf(1), eventOf(2))
    await until('rows to wait', async () => (await subject.outbox.waiting('acme'))[0]?.rows === 2)
    expect(await subject.outbox.dropWaiting('acme')).toBe(2)
    await subject.emit('acme', eventOf(3))
    await until('a later row to wait', async () => (await subject.outbox.waiting('acme'))[0]?.rows === 1)
    publisher.blocked.clear()
    await subject.emit('acme', eventOf(4))
    await until('later events', isPublished('acme', [3, 4]))
  })

  it('shows why a workspace is blocked now, not the earlier reason', async () => {
    publisher.blocked.set('acme', { outcome: 'blocked', reason: '404: no such workspace', retryAfterMs: 20 })
    startRelay()
    await subject.emit('acme', eventOf(1), eventOf(2))
    const reason = async () => (await subject.outbox.waiting('acme'))[0]?.reason
    await until('the first reason', async () => (await reason()) === '404: no such workspace')
    publisher.blocked.set('acme', { outcome: 'blocked', reason: '429: quota', retryAfterMs: 20 })
    await until('the second reason', async () => (await reason()) === '429: quota')
  })

  it('waits while Posthorn is unavailable, and loses nothing', async () => {
    publisher.next.push(() => ({ outcome: 'unavailable', reason: 'ECONNREFUSED', retryAfterMs: 1 }))
    publisher.next.push(() => ({ outcome: 'unavailable', reason: '503', retryAfterMs: 1 }))
    startRelay()
    await subject.emit('acme', eventOf(1))
    await subject.emit('beta', eventOf(2))
    await until('the first', isPublished('acme', [1]))
    await until('the second', isPublished('beta', [2]))
    expect(logged).toContain('publishing from an outbox failed; retrying')
    expect(logged).toContain('publishing from an outbox works again')
  })

  it('blocks a workspace that is the only one to find Posthorn unavailable', async () => {
    publisher.blocked.set('acme', { outcome: 'unavailable', reason: '403: a firewall', retryAfterMs: 1 })
    startRelay()
    await subject.emit('acme', eventOf(1))
    const others = Array.from({ length: 40 }, (_, n) => n + 10)
    for (const n of others) {
      await subject.emit('beta', eventOf(n))
      await until('the other workspace', () => publisher.published.get('beta')?.includes(n) === true)
    }
    await until('the workspace to wait', async () => (await waiting()).includes('acme'))
    publisher.blocked.clear()
    await until('the workspace', isPublished('acme', [1]))
    expect(publisher.published.get('beta')).toEqual(others)
  })

  it('stops while Posthorn is unavailable, and another relay publishes', async () => {
    publisher.next.push(() => ({ outcome: 'unavailable', reason: '503', retryAfterMs: 60_000 }))
    const first = startRelay()
    await subject.emit('acme', eventOf(1))
    await until('a call', () => publisher.calls === 1)
    await first.stop()
    await first.stop()
    startRelay()
    await until('the event', isPublished('acme', [1]))
  })

  it('opens the outbox again after its connection was lost', async () => {
    const { outbox } = subject
    let opened = 0
    subject = {
      ...subject,
      outbox: {
        place: outbox.place,
        failed: (...given) => outbox.failed(...given),
        retry: (...given) => outbox.retry(...given),
        drop: (...given) => outbox.drop(...given),
        waiting: (...given) => outbox.waiting(...given),
        dropWaiting: (...given) => outbox.dropWaiting(...given),
        async open(relay) {
          opened += 1
          if (opened === 1) throw new Error('connection refused')
          const session = await outbox.open(relay)
          if (opened === 2) session.read = () => Promise.reject(new Error('connection lost'))
          return session
        },
      },
    }
    startRelay()
    await subject.emit('acme', eventOf(1))
    await until('the event', isPublished('acme', [1]))
    expect(backlogs).toContain(null)
  })
})
