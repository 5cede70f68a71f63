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
    current: Type.Boolean({ description: 'Whether the node that answers encrypts with it.' }),
    signing_secrets: Type.Integer({ description: 'Number of signing secrets that are encrypted with it.' }),
    short_lived: Type.Integer({
      description:
        'Number of short-lived items that are encrypted with it: secrets for repeated requests, and sign-in links that wait to be sent by e-mail. They expire within minutes.',
    }),
    removable: Type.Boolean({
      description: 'Whether it can be removed: no stored secret needs it, and no node encrypts with it.',
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
          'Ids of the keys of the node. It encrypts with the first. Null: the node runs an earlier release, which supports only one key.',
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
    'How many secrets are encrypted with each master key, and which keys each running node has. The keys themselves are never shown. At most five seconds old.',
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
