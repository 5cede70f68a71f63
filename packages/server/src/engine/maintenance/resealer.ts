import type { Clock } from '../../core/clock.ts'
import { SECOND_MS } from '../../core/duration.ts'
import type { Storage, StoredSecret } from '../../storage/storage.ts'
import type { FailureLog } from '../log/failureLog.ts'
import type { Logger } from '../log/logger.ts'
import { Loop } from '../loop.ts'
import type { Lease } from '../schedule/lease.ts'
import { SealError, type SecretBox } from '../secretBox.ts'

/** Few enough that no commit waits long for a step. */
const STEP_SECRETS = 100

interface ResealerParams {
  readonly storage: Pick<Storage, 'masterKeys' | 'nodes'>
  readonly secretBox: SecretBox
  readonly clock: Clock
  readonly log: Logger
  readonly failureLog: FailureLog
  readonly lease: Pick<Lease, 'nodeId'>
}

/**
 * Re-encrypts signing secrets that are under an earlier master key. It walks through all secrets until a whole walk finds none. Then it
 * waits until short-lived secrets under that key have expired; until then, the store says that the key is needed. After a
 * crash, the next walk skips those that are done. Only the node with the lowest id does it, and only while all nodes encrypt under the
 * same key: otherwise two nodes would undo each other's work. After each step it rests for as long as the step took.
 */
export function createResealer(params: ResealerParams): Loop {
  const resealer = new Resealer(params)
  return new Loop({
    name: 'encryption under the current master key',
    clock: params.clock,
    failureLog: params.failureLog,
    intervalMs: 10 * SECOND_MS,
    work: () => resealer.step(),
  })
}

class Resealer {
  readonly #params: ResealerParams
  #afterId = 0
  /** Secrets in this walk that were not under the current key. */
  #found = 0
  /** Secrets in this walk that no key decrypts. */
  #unopened = 0
  /** Since the start. */
  #resealed = 0
  #state: 'walking' | 'walked' | 'done' = 'walking'

  constructor(params: ResealerParams) {
    this.#params = params
  }

  /** @returns how long to rest, ms; `null`: until the next check */
  async step(): Promise<number | null> {
    const { secretBox, clock } = this.#params
    if (secretBox.keyIds.length === 1) return null
    const isMine = await this.#isMine()
    if (isMine !== true) this.#beginWalk()
    // Another node encrypted under another key, and may have done so since the last walk.
    if (isMine === null) this.#state = 'walking'
    if (isMine !== true || this.#state === 'done') return null
    if (this.#state === 'walked') return this.#finish()
    const startedAt = clock.monotonic()
    await this.#resealSome()
    if (this.#afterId > 0) return clock.monotonic() - startedAt
    return this.#endWalk()
  }

  /** @returns whether this node does it; `null`: no node may, since they encrypt under different keys */
  async #isMine(): Promise<boolean | null> {
    const { storage, secretBox, lease } = this.#params
    const nodes = (await storage.nodes.listNodes({})).filter(({ alive }) => alive)
    if (nodes.some(({ masterKeys }) => masterKeys?.[0] !== secretBox.keyIds[0])) return null
    return nodes.every(({ id }) => id >= lease.nodeId)
  }

  async #resealSome(): Promise<void> {
    const { storage, secretBox } = this.#params
    const part = await storage.masterKeys.readSealed({ afterId: this.#afterId, limit: STEP_SECRETS })
    const old = part.secrets.filter(({ sealed }) => !secretBox.isCurrent(sealed))
    const secrets = old.flatMap((secret) => this.#reseal(secret))
    if (secrets.length > 0) this.#resealed += await storage.masterKeys.reseal({ secrets })
    this.#found += old.length
    this.#unopened += old.length - secrets.length
    this.#afterId = part.nextAfterId
  }

  #reseal({ id, sealed: from, owner }: StoredSecret) {
    const { secretBox } = this.#params
    try {
      return [{ id, from, to: secretBox.seal(secretBox.open(from, owner), owner) }]
    } catch (error) {
      if (error instanceof SealError) return []
      throw error
    }
  }

  async #endWalk(): Promise<number | null> {
    const { log } = this.#params
    const [found, unopened] = [this.#found, this.#unopened]
    this.#beginWalk()
    if (unopened > 0) {
      log.error(
        { secrets: unopened },
        'signing secrets are damaged, or encrypted with a master key that is not set',
      )
      return null
    }
    // Rows that another transaction was changing are found by the next walk.
    if (found > 0) return 0
    this.#state = 'walked'
    return this.#finish()
  }

  /** @returns `null`: until the next check */
  async #finish(): Promise<null> {
    const { storage, secretBox, clock, log } = this.#params
    const shortLived = await storage.masterKeys.countShortLived({ now: clock.now() })
    if (shortLived.some(({ keyId }) => keyId === null)) return null
    await storage.masterKeys.replaceKeyCheck({ check: secretBox.keyCheck })
    log.info(
      { master_key: secretBox.keyIds[0], secrets: this.#resealed },
      'all signing secrets are encrypted with the current master key',
    )
    this.#state = 'done'
    return null
  }

  #beginWalk(): void {
    this.#afterId = 0
    this.#found = 0
    this.#unopened = 0
  }
}
