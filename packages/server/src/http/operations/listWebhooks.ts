import { Type } from 'typebox'
import type { ServedProfile } from '../../profiles/compile.ts'
import { attentionRank, type Webhook } from '../../storage/rows.ts'
import type { WebhookFilterStatus } from '../../storage/storage.ts'
import { pageOf, pageQuery, readPage } from '../shared/pages.ts'
import { KEY_PROBLEMS, problemResponses } from '../shared/problems.ts'
import { closed, label, oneOf } from '../shared/schemas.ts'
import { operation } from './operation.ts'
import { webhookJson, webhookSchema } from './webhook.ts'
import { receiverWords, serviceTitle } from './words.ts'

interface WebhooksQuery {
  readonly q?: string
  readonly status?: WebhookFilterStatus
  readonly order?: 'newest' | 'failing'
  readonly limit?: number
  readonly cursor?: string
}

/** Services that show no state of webhooks still find those that are failing. */
const statusesOf = ({ profile }: ServedProfile): readonly WebhookFilterStatus[] =>
  profile.webhook.state ? ['failing', 'on', 'paused', 'off'] : ['failing']

export const listWebhooks = operation<{ query: WebhooksQuery }>({
  name: 'listWebhooks',
  method: 'GET',
  path: () => '/webhooks',
  access: ({ access }) => ({ scopes: access.read, members: 'all' }),
  schema(service) {
    const { manyFull, many, a, title, created } = receiverWords(service.profile)
    return {
      operationId: `list${serviceTitle(service.profile)}Webhooks`,
      tags: ['Webhooks'],
      summary: `List ${manyFull}`,
      description: `All ${many} of the workspace, newest first, including those that others ${created}.`,
      querystring: closed({
        q: Type.Optional(
          label(
            `Only ${many} with this text in their URL, description or event types, ignoring the case of ASCII letters; or the one with this id. Only the visible part of a URL is searched.`,
            200,
          ),
        ),
        status: Type.Optional(
          oneOf(
            statusesOf(service),
            `Only ${many} in this state. \`failing\`: enabled, and every attempt since \`failing_since\` failed.`,
          ),
        ),
        order: Type.Optional(
          oneOf(
            ['newest', 'failing'],
            `The order. Default: \`newest\`. \`failing\`: failing ${many} first, then disabled, paused and enabled ones, newest first in each group. If the state of ${a} changes while you read the pages, it can be on two pages or on none.`,
          ),
        ),
        ...pageQuery,
      }),
      response: {
        200: pageOf(webhookSchema(service), `${title}Page`),
        ...problemResponses(...KEY_PROBLEMS, 'invalid_request'),
      },
    }
  },
  async run({ ctx, caller, query }) {
    const { workspace, visibility } = caller
    const { q: text, status, order } = query
    const filter = { text, status, wholeUrlsOf: visibility.wholeUrlsOf }
    const failingFirst = order === 'failing'
    const list = failingFirst ? ('webhooks, failing first' as const) : ('webhooks' as const)
    const page = await readPage<Webhook>(
      ctx,
      { list, ownerId: workspace.id },
      query,
      (range, rank) =>
        ctx.storage.webhooks.listWebhooks({
          workspaceId: workspace.id,
          ...range,
          ...(text === undefined && status === undefined ? {} : { filter }),
          ...(failingFirst ? { failingFirst: { rank: rank ?? -1 } } : {}),
        }),
      failingFirst ? attentionRank : () => null,
    )
    return {
      data: page.rows.map((webhook) => webhookJson(ctx, caller, webhook)),
      next_cursor: page.nextCursor,
    }
  },
})
