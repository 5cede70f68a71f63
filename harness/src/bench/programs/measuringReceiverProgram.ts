import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, answerTo, type Behavior, statusSent } from '../../receivers/behavior.ts'
import { respond } from '../../receivers/respond.ts'
import { onMessage, startOf, tell } from '../../support/programSide.ts'
import { IdFile } from '../load/idFile.ts'
import { stampIn } from '../load/stamp.ts'
import { InFlight } from '../measure/inFlight.ts'
import { Latencies } from '../measure/latencies.ts'
import type {
  FromMeasuringReceiver,
  MeasuringReceiverStart,
  ToMeasuringReceiver,
} from './measuringReceiver.ts'
import { tellProgress } from './progress.ts'
import { serve } from './receiverServer.ts'

const now = () => Number(process.hrtime.bigint())

const { identity, idsFile, idHeader } = await startOf<MeasuringReceiverStart>()
const ids = idsFile === null ? null : new IdFile(idsFile)
const behaviors = new Map<string, Behavior>()
const accepted = new Map<string, number>()
const latencies = new Latencies()
const inFlight = new InFlight()
let measuredFromNs = Number.POSITIVE_INFINITY
let requests = 0
let acceptedInAll = 0

function receive(request: IncomingMessage, response: ServerResponse): void {
  const group = request.url!.split('/', 2)[1]!
  const chunks: Buffer[] = []
  const leave = inFlight.enter(group)
  // The sender may be gone before the answer is due.
  response.once('close', leave)
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.once('end', () => {
    const receivedNs = now()
    requests += 1
    const behavior = behaviors.get(group)
    if (behavior === undefined) {
      accept(group, request, chunks, receivedNs)
      leave()
      response.writeHead(204).end()
      return
    }
    const id = String(request.headers[idHeader])
    const answer = answerTo(behavior, id, 0)
    const status = statusSent(answer)
    if (status !== null && status >= 200 && status < 300) accept(group, request, chunks, receivedNs)
    give(answer, response, leave)
  })
}

/**
 * @param leave called before the sender can receive a proper answer, since it may then send the next request
 * at once
 */
function give(answer: Answer, response: ServerResponse, leave: () => void): void {
  const giveNow = () => {
    if (answer.trick === null) leave()
    respond({ ...answer, delayMs: 0 }, response, () => {})
  }
  if (answer.delayMs > 0) setTimeout(giveNow, answer.delayMs)
  else giveNow()
}

function accept(group: string, request: IncomingMessage, chunks: Buffer[], receivedNs: number): void {
  acceptedInAll += 1
  accepted.set(group, (accepted.get(group) ?? 0) + 1)
  ids?.add(String(request.headers[idHeader]))
  const dueNs = stampIn(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
  if (dueNs !== null && dueNs >= measuredFromNs) latencies.record(group, receivedNs - dueNs)
}

async function obey(message: ToMeasuringReceiver): Promise<FromMeasuringReceiver> {
  switch (message.kind) {
    case 'behave':
      behaviors.set(message.group, message.behavior)
      return { kind: 'done' }
    case 'begin':
      measuredFromNs = now()
      latencies.reset()
      inFlight.reset()
      return { kind: 'done' }
    case 'progress': {
      const before = acceptedInAll
      tellProgress(() => acceptedInAll - before)
      return { kind: 'done' }
    }
    case 'report':
      return {
        kind: 'report',
        requests,
        accepted: Object.fromEntries(accepted),
        latencies: latencies.spreads(),
        mostInFlight: inFlight.most(),
      }
    case 'finish':
      await ids?.end()
      return { kind: 'finished' }
  }
}

const port = await serve(identity, receive)
onMessage<ToMeasuringReceiver>((message) => void obey(message).then(tell))
tell({ kind: 'listening', port } satisfies FromMeasuringReceiver)
