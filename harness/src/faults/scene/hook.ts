import type { ScriptedReceiver } from '../../receivers/scriptedReceiver.ts'
import type { DialectName } from '../../support/workspaces.ts'
import type { HookEvidence, HookState, SecretChange } from '../evidence.ts'
import { Timeline } from '../timeline.ts'
import type { Role } from './cast.ts'

/** A webhook under test: the history of its settings, and the receiver hook that it points to. */
export class HookUnderTest {
  readonly name: string
  readonly dialect: DialectName
  readonly role: Role
  /** Of its hook; its URL may have a path below. */
  readonly path: string
  readonly receiver: ScriptedReceiver
  readonly states = new Timeline<HookState>({ status: 'absent', types: [], path: '' })
  readonly secrets: SecretChange[] = []
  /** Of the webhook. */
  id = ''
  etag = ''

  constructor(params: Pick<HookUnderTest, 'name' | 'dialect' | 'role' | 'receiver'>) {
    this.name = params.name
    this.dialect = params.dialect
    this.role = params.role
    this.path = `/${params.name}`
    this.receiver = params.receiver
  }

  get isDeleted(): boolean {
    return this.states.last.status === 'deleted'
  }

  /** Whether people may change it now. */
  get mayBeChanged(): boolean {
    return this.role.mayBeChanged && !this.isDeleted
  }

  /** The facts about it that its workspace does not know. */
  evidence(): Pick<HookEvidence, 'name' | 'dialect' | 'states' | 'secrets' | 'honest'> {
    const { name, dialect, states, secrets } = this
    return { name, dialect, states, secrets, honest: this.role.receiver !== 'rough' }
  }
}
