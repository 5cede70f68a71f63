import { Type } from 'typebox'
import { MINUTE_MS } from '../../core/duration.ts'
import { adminGuard } from '../shared/auth.ts'
import { byOf, idempotencyHeaders } from '../shared/changes.ts'
import type { Route } from '../shared/context.ts'
import { hashCredential } from '../shared/credentials.ts'
import { CREATE_PROBLEMS, notFound, problemResponses } from '../shared/problems.ts'
import { closed, optionalBody, time } from '../shared/schemas.ts'
import { changeWithSecret, credentialOmitted, shownOnce } from '../shared/shownOnce.ts'
import { linkUrl, newLinkToken } from '../shared/signInLinks.ts'
import { isoTime } from '../shared/time.ts'
import { findMemberOrFail, findWorkspace, refuseFromProvider } from './find.ts'
import { IN_WORKSPACE_PROBLEMS, memberParams } from './schemas.ts'

const DEFAULT_MINUTES = 5
const MAX_MINUTES = 60

const schema = {
  operationId: 'createPortalLink',
  tags: ['Signing in'],
  summary: 'Create a link from your product to the console',
  description:
    'For products that send their own users to their webhooks. The link works once. The person who opens it acts as the member in this workspace for an hour. `embed_url` is for a frame inside a page of an origin that `POSTHORN_PORTAL_ORIGINS` names. Its copy buttons work only if the frame has `allow="clipboard-write"`.',
  params: memberParams,
  headers: idempotencyHeaders,
  body: optionalBody({
    minutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MINUTES,
        description: `How long the link works, in minutes. Default: ${DEFAULT_MINUTES}.`,
      }),
    ),
  }),
  response: {
    201: closed(
      {
        url: shownOnce('The link, to open in a browser window.'),
        embed_url: shownOnce(
          'The same link, for a frame. Only the one that is opened first works. If `POSTHORN_PORTAL_ORIGINS` is not set, no page can show it in a frame.',
        ),
        secret_omitted: credentialOmitted,
        expires_at: time('When it stops working.'),
      },
      { title: 'PortalLink' },
    ),
    ...problemResponses(...IN_WORKSPACE_PROBLEMS, ...CREATE_PROBLEMS),
  },
}

export const createPortalLink: Route = (app, ctx) => {
  app.post(
    '/admin/v1/workspaces/:ws/members/:id/portal-links',
    { schema, onRequest: adminGuard(ctx) },
    async (request, reply) => {
      const workspace = await findWorkspace(ctx, request.params.ws)
      const member = await findMemberOrFail(ctx, workspace, request.params.id)
      refuseFromProvider(member)
      const { minutes = DEFAULT_MINUTES } = request.body
      const token = newLinkToken()
      const now = ctx.clock.now()
      const {
        result: link,
        repeated,
        text,
        omitted,
      } = await changeWithSecret(
        ctx,
        request,
        {
          call: 'createPortalLink',
          params: {
            workspaceId: workspace.id,
            memberId: member.id,
            hash: hashCredential(token),
            expiresAt: now + minutes * MINUTE_MS,
            now,
          },
        },
        {
          workspacePublicId: workspace.publicId,
          action: 'member.portal_link_created',
          target: { type: 'member', id: member.publicId },
        },
        { text: token, owner: member.publicId },
      )
      if (link === null) throw notFound('member')
      if (!repeated) {
        const { actor } = byOf(request)
        ctx.logger.info({ request_id: request.id, whose: member.publicId, by: actor }, 'portal link created')
      }
      reply.code(201)
      return {
        url: text === null ? null : linkUrl(ctx, 'portal', text),
        embed_url: text === null ? null : linkUrl(ctx, 'embed', text),
        secret_omitted: omitted,
        expires_at: isoTime(link.expiresAt),
      }
    },
  )
}
