import { KEY_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { pathId } from '../shared/schemas.ts'
import { LAYOUTS } from './layout.ts'
import { operation } from './operation.ts'
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
    summary: 'Read how far a replay is',
    description: 'Ask again until its status is `finished`; replays are kept as long as deliveries.',
    params: { id: pathId('The replay.') },
    response: { 200: replaySchema(service), ...problemResponses(...KEY_PROBLEMS) },
  }),
  async run({ ctx, caller: { workspace }, params }) {
    const { replay: format } = ctx.dialect.ids
    const bytes = format.parse(params.id!)
    const replay =
      bytes === null
        ? null
        : await ctx.storage.log.getReplay({ workspaceId: workspace.id, publicId: format.format(bytes) })
    if (replay === null) throw notFound('replay')
    return replayJson(replay)
  },
})
