import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { pathId } from '../shared/schemas.ts'
import { LAYOUTS } from './layout.ts'
import { operation } from './operation.ts'
import { findReplay } from './recovery.ts'
import { replayJson, replaySchema } from './replay.ts'
import { serviceTitle } from './words.ts'

export const getReplay = operation({
  name: 'getReplay',
  method: 'GET',
  path: (layout) => `${LAYOUTS[layout].log}/replays/:id`,
  isIn: ({ operations }) => operations.bulk !== null,
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: (service) => ({
    operationId: `get${serviceTitle(service.profile)}Replay`,
    tags: ['Deliveries'],
    summary: 'Read the progress of a replay',
    description: 'Poll until the status is `finished`. Replays are kept as long as deliveries.',
    params: { id: pathId('The replay.') },
    response: { 200: replaySchema(service), ...problemResponses(...KEY_PROBLEMS) },
  }),
  run: async ({ ctx, caller: { workspace }, params }) =>
    replayJson(await findReplay(ctx, workspace, params.id!, 'replay')),
})
