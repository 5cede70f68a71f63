import { numbers } from '../arrays.ts'
import type { Tx } from '../transaction.ts'

const sql = {
  bump: 'UPDATE workspaces SET webhooks_version = webhooks_version + 1 WHERE id = ANY ($1::bigint[])',
}

/** The set of webhooks that are on, or a version of one, is another from this commit on. The caller excludes publishes. */
export async function bumpMatching(tx: Tx, workspaceIds: readonly number[]): Promise<void> {
  await tx.run(sql.bump, [numbers(workspaceIds)])
}
