import { Type } from 'typebox'
import { CachedRead } from '../../engine/cachedRead.ts'
import { readMasterKeyStates } from '../../engine/manage/masterKeys.ts'
import { adminGuard } from '../shared/auth.ts'
import type { Route } from '../shared/context.ts'
import { problemResponses } from '../shared/problems.ts'
import { closed, nullable } from '../shared/schemas.ts'
import { ADMIN_PROBLEMS } from './schemas.ts'

const KeyId = { description: 'Id of the key, derived from the key.', examples: ['3f2a9c01d4e5b677'] }

const MasterKeySchema = closed(
  {
    id: Type.String(KeyId),
    current: Type.Boolean({ description: 'Whether the node that gives this answer encrypts under it.' }),
    signing_secrets: Type.Integer({ description: 'Signing secrets that are encrypted under it.' }),
    short_lived: Type.Integer({
      description:
        'Secrets kept for repeated requests, and sign-in links that wait to be e-mailed, that are encrypted under it. They expire within minutes.',
    }),
    removable: Type.Boolean({
      description: 'Whether no stored secret needs it and no node encrypts under it.',
    }),
  },
  { title: 'MasterKey' },
)

const NodeKeysSchema = closed(
  {
    id: Type.Integer({ description: 'Id of the node.' }),
    master_keys: nullable(
      Type.Array(Type.String(KeyId), {
        description:
          'Ids of the keys of the node; it encrypts under the first. Null: the node is of an earlier release, which has one key.',
      }),
    ),
  },
  { title: 'NodeMasterKeys' },
)

const schema = {
  operationId: 'listMasterKeys',
  tags: ['Operations'],
  summary: 'Show the progress of a master key rotation',
  description:
    'What is encrypted under which master key, and which keys each running node has. Never has a key itself. At most five seconds old.',
  response: {
    200: closed(
      { data: Type.Array(MasterKeySchema), nodes: Type.Array(NodeKeysSchema) },
      { title: 'MasterKeyList' },
    ),
    ...problemResponses(...ADMIN_PROBLEMS),
  },
}

export const listMasterKeys: Route = (app, ctx) => {
  const states = new CachedRead(ctx.clock, () =>
    readMasterKeyStates(ctx.storage, ctx.secretBox.keyIds, ctx.clock.now()),
  )
  app.get('/admin/v1/master-keys', { schema, onRequest: adminGuard(ctx) }, async () => {
    const { keys, nodes } = await states.current()
    return {
      data: keys.map(({ keyId, current, signingSecrets, shortLived, removable }) => ({
        id: keyId,
        current,
        signing_secrets: signingSecrets,
        short_lived: shortLived,
        removable,
      })),
      nodes: nodes.map(({ id, masterKeys }) => ({ id, master_keys: masterKeys && [...masterKeys] })),
    }
  })
}
