import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { makeLoopbackIdentity } from '../receivers/certificate.ts'
import { ScriptedReceiver } from '../receivers/scriptedReceiver.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { eventually } from '../support/waiting.ts'
import { ADS_EVENTS, CONTENT_EVENTS, EventSource } from './eventSource.ts'
import { randomFrom } from './random.ts'
import { type Scene, setUpScene } from './scene.ts'
import { ServiceUnderFire } from './underFire.ts'
import { contradictionsOf, type Tally, tallyOf, type WebhookEvidence } from './verdict.ts'

export interface CrashOptions {
  readonly kills: number
  /** Decides when the kills come and what is published. */
  readonly seed: number
  readonly onKill?: (kill: number) => void
}

export interface CrashReport {
  readonly events: number
  /** Publish requests that broke off. */
  readonly unanswered: number
  readonly byPath: Readonly<Record<string, Tally>>
  /** Empty when all is well. */
  readonly contradictions: readonly string[]
  /** Of the last run, stopped in peace. */
  readonly exitCode: number | null
}

const RETRY = '50ms,100ms,200ms,400ms,400ms,400ms,400ms'
const CALM_WITHIN_MS = 60_000

interface Act {
  readonly scene: Scene
  readonly source: EventSource
}

/** Kills the service again and again while it takes and sends events, then compares what everybody saw. */
export async function runCrash({ kills, seed, onKill }: CrashOptions): Promise<CrashReport> {
  const directory = makeDirectory()
  const identity = await makeLoopbackIdentity()
  const caFile = path.join(directory, 'receiver.pem')
  writeFileSync(caFile, identity.cert)
  const receivers = {
    plain: await ScriptedReceiver.start(),
    secure: await ScriptedReceiver.start({ identity }),
  }
  const service = new ServiceUnderFire(
    {
      dataDir: path.join(directory, 'data'),
      settings: {
        POSTHORN_EGRESS_CA_FILE: caFile,
        POSTHORN_CONTENT_RETRY: RETRY,
        POSTHORN_ADS_RETRY: RETRY,
      },
    },
    randomFrom(seed),
  )
  try {
    await service.up()
    const acts = await setUp(service, receivers, seed)
    await underFire(service, acts, kills, onKill)
    const evidence = await calm(acts)
    const { code } = await service.stop()
    return {
      events: acts.reduce((sum, { source }) => sum + source.acknowledged.size, 0),
      unanswered: acts.reduce((sum, { source }) => sum + source.unanswered, 0),
      byPath: Object.fromEntries(evidence.map((one) => [one.path, tallyOf(one)])),
      contradictions: evidence.flatMap((one) => contradictionsOf(one, service.kills)),
      exitCode: code,
    }
  } finally {
    await Promise.all([service.kill(), receivers.plain.stop(), receivers.secure.stop()])
    removeDirectory(directory)
  }
}

async function setUp(
  service: ServiceUnderFire,
  receivers: { readonly plain: ScriptedReceiver; readonly secure: ScriptedReceiver },
  seed: number,
): Promise<Act[]> {
  const acts: Act[] = []
  for (const [name, kind] of [
    ['content', CONTENT_EVENTS],
    ['ads', ADS_EVENTS],
  ] as const) {
    const scene = await setUpScene(service.url, name, kind, receivers)
    const random = randomFrom(seed + acts.length + 1)
    acts.push({ scene, source: new EventSource(scene.workspace, kind, () => service.up(), random) })
  }
  return acts
}

async function underFire(
  service: ServiceUnderFire,
  acts: readonly Act[],
  kills: number,
  onKill: CrashOptions['onKill'],
): Promise<void> {
  const publishing = Promise.all(acts.map(({ source }) => source.run()))
  const answered = () => acts.reduce((sum, { source }) => sum + source.answered, 0)
  const killing = async () => {
    for (let kill = 1; kill <= kills && !service.over; kill++) {
      await service.killAtRandom(answered)
      onKill?.(kill)
    }
    for (const { source } of acts) source.end()
  }
  try {
    await Promise.all([publishing, killing()])
  } catch (error) {
    for (const { source } of acts) source.giveUp()
    throw error
  }
  await service.up()
}

/** Waits until every acknowledged event has arrived and no delivery is pending any more. */
async function calm(acts: readonly Act[]): Promise<WebhookEvidence[]> {
  return eventually(
    async () => {
      const evidence = await gather(acts)
      return evidence.every(isCalm) ? evidence : null
    },
    { withinMs: CALM_WITHIN_MS, everyMs: 500, what: 'end of all pending deliveries' },
  ).catch(() => gather(acts))
}

function isCalm({ log, requests, acknowledged }: WebhookEvidence): boolean {
  const arrived = new Set(requests.map(({ eventId }) => eventId))
  return acknowledged.every((id) => arrived.has(id)) && log.every(({ status }) => status !== 'pending')
}

async function gather(acts: readonly Act[]): Promise<WebhookEvidence[]> {
  const evidence: WebhookEvidence[] = []
  for (const { scene, source } of acts) {
    for (const { path: hookPath, types, receiver, readLog } of scene.subscriptions) {
      const requests = (await receiver.requests()).filter((request) => request.path === hookPath)
      evidence.push({
        path: hookPath,
        requests,
        log: await readLog(),
        acknowledged: [...source.acknowledged].flatMap(([id, type]) => (types.includes(type) ? [id] : [])),
        allAcknowledged: source.kind.bringId !== null,
      })
    }
  }
  return evidence
}
