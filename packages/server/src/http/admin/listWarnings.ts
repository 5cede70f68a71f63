import { Type } from 'typebox'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, time } from '../shared/schemas.ts'
import { isoTime } from '../shared/time.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

export const WarningSchema = closed(
  {
    code: Type.String({
      description:
        'Stable, for programs: `clock_leapt`, `clock_gap`, `clock_differs`, `sending_held`, `egress_probe_away`, `egress_allow_wide`, `egress_allow_metadata`, `data_directory_open`, `key_file_open`, `setting_file_open` or `tls_certificate_expires`. Later releases may add others.',
    }),
    text: Type.String({
      description: 'For people: what is wrong, what the service does about it, and what to do.',
    }),
    since: time('Since when.'),
  },
  { title: 'Warning' },
)

const schema = {
  operationId: 'listWarnings',
  tags: ['Operations'],
  summary: 'List warnings for operators',
  description:
    'Warnings of the node that answers: each node has its own. Oldest first. A warning disappears when its cause is fixed.',
  response: {
    200: closed({ data: Type.Array(WarningSchema) }, { title: 'WarningList' }),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

export const listWarnings: Route = (app, ctx) => {
  app.get('/admin/v1/warnings', { schema, onRequest: adminGuard(ctx) }, async () => ({
    data: ctx.warnings.list().map(({ code, text, since }) => ({ code, text, since: isoTime(since) })),
  }))
}
