import type { Behaviour } from '../receivers/behaviour.ts'
import type { ScriptedReceiver } from '../receivers/scriptedReceiver.ts'
import {
  createWorkspace,
  type DialectName,
  type LoggedDelivery,
  type WorkspaceClient,
} from '../support/workspaces.ts'
import type { EventKind } from './eventSource.ts'

/** A webhook and the hook of a receiver that it points to. */
interface Subscription {
  readonly path: string
  readonly readLog: () => Promise<readonly LoggedDelivery[]>
  readonly types: readonly string[]
  readonly receiver: ScriptedReceiver
}

export interface Scene {
  readonly workspace: WorkspaceClient
  readonly subscriptions: readonly Subscription[]
}

interface Plan {
  readonly name: string
  readonly behaviour: Behaviour
  readonly types: readonly string[]
  readonly receiver: ScriptedReceiver
}

/** A workspace with one receiver of each temper. */
export async function setUpScene(
  url: () => string,
  dialect: DialectName,
  { common, rare }: EventKind,
  receivers: { readonly plain: ScriptedReceiver; readonly secure: ScriptedReceiver },
): Promise<Scene> {
  const workspace = await createWorkspace(url, dialect, `crash-${dialect}`)
  const { plain, secure } = receivers
  const plans: Plan[] = [
    { name: 'prompt', behaviour: { kind: 'prompt' }, types: [common, rare], receiver: secure },
    { name: 'flaky', behaviour: { kind: 'flaky' }, types: [common], receiver: plain },
    { name: 'slow', behaviour: { kind: 'slow', delayMs: 150 }, types: [rare], receiver: plain },
  ]
  const subscriptions: Subscription[] = []
  for (const { name, behaviour, types, receiver } of plans) {
    const path = `/${dialect}/${name}`
    const { id, secret } = await workspace.createWebhook(receiver.urlOf(path), types)
    await receiver.add({ path, scheme: workspace.scheme, secret, behaviour })
    subscriptions.push({ path, readLog: () => workspace.deliveries(id), types, receiver })
  }
  return { workspace, subscriptions }
}
