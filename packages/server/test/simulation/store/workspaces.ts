import { cancelRecoveries } from './canceling.ts'
import { type StoredWorkspace, toWorkspace } from './rows.ts'
import type { Calls, StoreState } from './state.ts'
import { remove } from './webhooks.ts'

export function workspaceCalls(
  state: StoreState,
): Calls<'createWorkspace' | 'suspendWorkspace' | 'deleteWorkspace'> {
  return {
    createWorkspace({ now: createdAt, ...fields }) {
      const id = state.workspaces.length + 1
      const made = { ...fields, id, suspendedAt: null, createdAt }
      const empty = { webhooks: [], sends: [], fanouts: [] }
      const workspace: StoredWorkspace = { id, made, suspendedAt: null, deletedAt: null, ...empty }
      state.workspaces.push(workspace)
      return toWorkspace(workspace)
    },
    suspendWorkspace({ workspaceId, suspended, now }) {
      const workspace = state.workspace(workspaceId)
      if (workspace === undefined || (workspace.suspendedAt !== null) === suspended) return null
      workspace.suspendedAt = suspended ? now : null
      const touched = workspace.webhooks.filter(
        ({ status, deletedAt }) => status === 'on' && deletedAt === null,
      )
      for (const webhook of touched) {
        webhook.version++
        if (suspended) cancelRecoveries(state, webhook, now)
      }
      const webhookIds = touched.map(({ id }) => id)
      state.note({ kind: 'suspended', workspaceId, suspended })
      state.onChanged(webhookIds)
      return webhookIds
    },
    deleteWorkspace({ workspaceId, now }) {
      const workspace = state.workspace(workspaceId)
      if (workspace === undefined) return null
      workspace.deletedAt = now
      const living = workspace.webhooks.filter(({ deletedAt }) => deletedAt === null)
      for (const webhook of living) remove(state, webhook, now)
      return living.map(({ id }) => id)
    },
  }
}
