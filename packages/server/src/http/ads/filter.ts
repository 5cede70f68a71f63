import type { Workspace } from '../../storage/rows.ts'
import type { DialectContext } from '../shared/context.ts'
import { invalidRequest } from '../shared/problems.ts'
import { webhookOrNull } from '../shared/webhooks.ts'

/** The endpoint that a filter names, if it names one. @throws Problem `invalid_request` when there is none */
export async function webhookIdOf(
  ctx: DialectContext,
  workspace: Workspace,
  id: string | undefined,
  where: string,
): Promise<number | null> {
  if (id === undefined) return null
  const webhook = await webhookOrNull(ctx, workspace, id)
  if (webhook !== null) return webhook.id
  const message = 'is not a webhook endpoint of this workspace'
  throw invalidRequest([{ pointer: '/webhookId', message }], where)
}
