import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { operation } from './operation.ts'
import { recoveryJson, recoveryOf, recoveryParams, recoveryPath, recoverySchema } from './recovery.ts'
import { serviceTitle } from './words.ts'

export const getRecovery = operation({
  name: 'getRecovery',
  method: 'GET',
  path: (layout) => recoveryPath(layout),
  isIn: ({ operations }) => operations.recover !== null,
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: (service) => ({
    operationId: `get${serviceTitle(service.profile)}Recovery`,
    tags: ['Deliveries'],
    summary: 'Read the progress of a recovery',
    description: 'Poll until the status is no longer `running`. Recoveries are kept as long as deliveries.',
    params: recoveryParams(service),
    response: { 200: recoverySchema(service), ...problemResponses(...KEY_PROBLEMS) },
  }),
  async run({ ctx, caller: { workspace }, params }) {
    const { recovery, webhook } = await recoveryOf(ctx, workspace, params)
    return recoveryJson(ctx, workspace, recovery, webhook)
  },
})
