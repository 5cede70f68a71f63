import type { DeliveryRecord, Workspace } from '../../storage/rows.ts'
import type { DialectContext } from '../shared/context.ts'
import { findDelivery } from '../shared/deliveries.ts'
import { notFound } from '../shared/problems.ts'

/** Finds a delivery by a path that names its webhook too. @throws Problem `not_found` */
export async function findDeliveryOf(
  ctx: DialectContext,
  workspace: Workspace,
  path: { readonly id: string; readonly did: string },
): Promise<DeliveryRecord> {
  const delivery = await findDelivery(ctx, workspace, path.did)
  if (delivery.webhookPublicId !== path.id) throw notFound('delivery')
  return delivery
}
