import type { Alert, Workspace } from '../rows.ts'

/** Operational events of webhooks, and their recipients. */
export interface AlertCalls {
  /**
   * Alerts to publish, oldest first, each with the operational workspaces whose webhooks get it. Several nodes may read the
   * same alerts: publish each under its key, so that it is published once.
   * @param params.after the id of an alert: returns later ones; absent: from the first
   */
  readAlerts(params: { limit: number; after?: number }): Promise<
    readonly {
      readonly alert: Alert
      readonly targets: readonly Workspace[]
    }[]
  >
  /** They have been published. */
  settleAlerts(params: { ids: readonly number[] }): Promise<void>
  /**
   * Creates e-mails from due alerts, at most one at a time for each owner of a workspace. @returns how many workspaces it
   * looked at, and how many e-mails it created
   */
  mailAlerts(params: {
    now: number
    limit: number
  }): Promise<{ readonly looked: number; readonly made: number }>
  /** Reports how many exhausted deliveries were left out in past minutes. @returns how many rows it looked at */
  closeMinutes(params: { now: number; limit: number }): Promise<number>
  /**
   * The operational workspace for a workspace, or for all, as the service signs on its behalf: with the name, slug and public
   * id of the workspace that it is for.
   * @param workspaceId `null`: for all
   */
  getOperational(params: { workspaceId: number | null }): Promise<Workspace | null>
  /** The same; creates it if there is none. `null`: the workspace was deleted. */
  makeOperational(params: {
    workspaceId: number | null
    publicId: string
    dialect: string
    now: number
  }): Promise<Workspace | null>
}
