import { systemClock } from '../../../../src/core/clock.ts'
import type { Changed } from '../../../../src/storage/storage.ts'
import type { FlatStorage } from '../../../support/flatStorage.ts'

/** Creates a workspace with the idempotency key of a number, with an entry in the audit log. */
export function createIdempotently(
  storage: FlatStorage,
  number: number,
  publicId: string,
): Promise<Changed<'createWorkspace'>> {
  const now = systemClock.now()
  return storage.change({
    call: 'createWorkspace',
    params: { publicId, dialect: 'content', slug: publicId, name: '', now },
    audit: {
      action: 'workspace.created',
      actor: { type: 'operator', id: null, sessionId: null },
      workspacePublicId: publicId,
      target: { type: 'workspace', id: publicId },
      details: {},
      requestId: `${number}`,
    },
    idempotency: {
      scope: 'operator',
      key: `${number}`,
      fingerprint: Uint8Array.of(1),
      responseData: null,
      responseDataUntil: null,
      since: 0,
    },
    now,
  })
}
