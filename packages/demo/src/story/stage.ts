import { randomBytes } from 'node:crypto'
import type { Account } from '../accounts/account.ts'
import type { Certificates } from '../receivers/certificate.ts'
import { Receiver } from '../receivers/receiver.ts'
import { VERIFIERS } from '../receivers/verifiers.ts'
import { CAST, type Part } from './cast.ts'
import { Scene } from './scene.ts'

/** The receivers of a run, listening and registered. */
export interface Stage {
  readonly scenes: readonly Scene[]
  stop(): Promise<void>
}

/** @param brokenPart the receiver that is given a wrong secret, to see that the demo notices */
export async function setStage(
  accounts: readonly Account[],
  certificates: Certificates,
  brokenPart: string | null,
): Promise<Stage> {
  const receivers: Receiver[] = []
  const stop = async () => {
    await Promise.all(receivers.map((receiver) => receiver.stop()))
  }
  try {
    const scenes: Scene[] = []
    for (const part of CAST) {
      const { behavior, service } = part
      const receiver = new Receiver({ verifier: VERIFIERS[service], certificates, behavior })
      receivers.push(receiver)
      const account = accounts.find((one) => one.service === service)!
      scenes.push(await register(part, account, receiver, part.name === brokenPart))
    }
    return { scenes, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function register(part: Part, account: Account, receiver: Receiver, broken: boolean): Promise<Scene> {
  const url = await receiver.start(part.path)
  const { id, secret } = await account.register({ url, types: part.types, description: part.name })
  receiver.useSecret(broken ? `whsec_${randomBytes(32).toString('base64')}` : secret)
  return new Scene({ part, account, receiver, url, webhookId: id })
}
