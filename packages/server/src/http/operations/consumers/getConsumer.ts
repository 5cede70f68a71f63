import { findConsumer } from '../../shared/consumers/reading.ts'
import { KEY_PROBLEMS, problemResponses } from '../../shared/problems.ts'
import { operation } from '../operation.ts'
import { scopesText, serviceTitle } from '../words.ts'
import { consumerParams, consumerStateJson, consumerStateSchema, LAG_OF_ONE } from './consumer.ts'

export const getConsumer = operation({
  name: 'getConsumer',
  method: 'GET',
  path: () => '/consumers/:name',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema: ({ profile }) => ({
    operationId: `get${serviceTitle(profile)}Consumer`,
    tags: ['Consumers'],
    summary: 'Get a consumer and its lag',
    description: `The lag counts at most ${LAG_OF_ONE} events. Needs ${scopesText(profile.access.read)}.`,
    params: consumerParams,
    response: { 200: consumerStateSchema, ...problemResponses(...KEY_PROBLEMS) },
  }),
  async run({ ctx, caller: { workspace }, params }) {
    const consumer = await findConsumer(ctx, workspace, params.name!)
    const [lag] = await ctx.storage.consumers.consumerLags({ consumers: [consumer], most: LAG_OF_ONE })
    return consumerStateJson(consumer, lag!)
  },
})
