import type { Alert, Workspace } from '../rows.ts'

/** What happened to webhooks, and who is to hear of it. */
export interface AlertVerbs {
  /**
   * Alerts that are to be published, oldest first, each with the operational workspaces whose webhooks get it. Several nodes may
   * read the same alerts: publish each under its key, so that it is published once.
   * @param params.after the id of an alert: those behind it; absent: from the first on
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
   * Makes e-mails of what is due, at most one at a time for an owner of a workspace. @returns how many workspaces it looked at, and
   * how many e-mails it made
   */
  mailAlerts(params: {
    now: number
    limit: number
  }): Promise<{ readonly looked: number; readonly made: number }>
  /** Tells how many exhausted deliveries were left out in minutes that are over. @returns how many rows it looked at */
  closeMinutes(params: { now: number; limit: number }): Promise<number>
  /**
   * The operational workspace that is for a workspace, or for all, as the service signs in its name: with the name, the slug and the
   * public id of the workspace that it is for.
   * @param workspaceId `null`: for all
   */
  getOperational(params: { workspaceId: number | null }): Promise<Workspace | null>
  /** The same; makes it where there is none. `null`: the workspace was deleted. */
  makeOperational(params: {
    workspaceId: number | null
    publicId: string
    dialect: string
    now: number
  }): Promise<Workspace | null>
}
