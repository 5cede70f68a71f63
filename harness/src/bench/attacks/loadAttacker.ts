import type { Outcome } from '../frame/scenario.ts'
import { compareIds, complaintsOf } from '../load/idFile.ts'
import { drain } from '../measure/counting.ts'
import type { Load } from '../measure/loads.ts'
import type { RawSenderStart } from '../raw/rawSender.ts'
import { RawSender } from '../raw/sender.ts'
import type { Attacker, AttackScene } from './attack.ts'

/** What a malicious tenant can send over the network: a gigabit a second. */
const LINE_BYTES_PER_SECOND = 125e6

type FromScene = 'port' | 'maxSeconds' | 'bytesPerSecond'

/** A sender of raw requests that runs as long as the attack. */
export function startSender(
  { stage, url, maxSeconds }: AttackScene,
  start: Omit<RawSenderStart, FromScene>,
): Promise<RawSender> {
  const port = Number(new URL(url).port)
  return RawSender.start(stage, { ...start, port, maxSeconds, bytesPerSecond: LINE_BYTES_PER_SECOND })
}

interface Publisher<R> {
  readonly pid: number
  finish(): Promise<R>
}

/** Publishes to its own webhooks. Each accepted event must arrive there once. */
export function loadAttacker<R extends { readonly accepted: number }>(
  { receiver, files }: Load,
  publisher: Publisher<R>,
  judge: (report: R) => Outcome,
): Attacker {
  return {
    pids: [publisher.pid, receiver.pid],
    delivered: async () => (await receiver.ask({ kind: 'count' }, 'count')).deliveries,
    async finish() {
      const report = await publisher.finish()
      await drain(receiver, report.accepted)
      await receiver.ask({ kind: 'finish' }, 'finished')
      const { metrics, complaints } = judge(report)
      const lost = complaintsOf(compareIds(files.acknowledged, files.received))
      return { metrics, complaints: [...complaints, ...lost] }
    },
  }
}
