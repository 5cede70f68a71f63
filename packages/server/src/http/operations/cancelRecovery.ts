import { byOf } from '../shared/changes.ts'
import { BODY_PROBLEMS, KEY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { operation } from './operation.ts'
import { recoveryJson, recoveryOf, recoveryParams, recoveryPath, recoverySchema } from './recovery.ts'
import { serviceTitle } from './words.ts'

export const cancelRecovery = operation({
  name: 'cancelRecovery',
  method: 'DELETE',
  path: (layout) => recoveryPath(layout),
  isIn: ({ operations }) => operations.recover !== null,
  access: ({ operations }) => ({ scopes: operations.recover?.scopes ?? [], members: 'owners' }),
  schema: (service) => ({
    operationId: `cancel${serviceTitle(service.profile)}Recovery`,
    tags: ['Deliveries'],
    summary: 'Cancel a recovery',
    description:
      'No more deliveries become pending. Deliveries that are already pending are still sent. A recovery that has ended does not change.',
    params: recoveryParams(service),
    response: {
      200: recoverySchema(service),
      ...problemResponses(...KEY_PROBLEMS, ...BODY_PROBLEMS, 'role_missing', 'quota_exceeded'),
    },
  }),
  async run({ ctx, caller: { workspace }, request, params }) {
    const { recovery, webhook } = await recoveryOf(ctx, workspace, params)
    const canceled = await ctx.engine.cancelReplay(workspace, recovery, byOf(request))
    if (canceled === null) throw notFound('recovery')
    return recoveryJson(ctx, workspace, canceled, webhook)
  },
})
