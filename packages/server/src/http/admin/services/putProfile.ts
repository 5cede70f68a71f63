import type { FastifyRequest } from 'fastify'
import { type ServedProfile, serviceOf } from '../../../profiles/compile.ts'
import type { Profile } from '../../../profiles/profile.ts'
import { MAX_PROFILES } from '../../../storage/storage.ts'
import { changeInStore } from '../../shared/changes.ts'
import type { Context } from '../../shared/context.ts'
import { changedMeanwhile } from '../../shared/etag.ts'
import { notFound, Problem } from '../../shared/problems.ts'

/** How much longer than the log versions are kept: deliveries that are pending at the end of the retention are removed later. */
const KEPT_LONGER_MS = 14 * 24 * 3_600_000

/** Stores a valid profile and serves it on this node. */
export async function putProfile(
  ctx: Context,
  request: FastifyRequest,
  profile: Profile,
  replaced: Pick<ServedProfile, 'version'> | null,
): Promise<ServedProfile> {
  const { name } = profile
  const now = ctx.clock.now()
  const params = {
    name,
    version: replaced?.version ?? null,
    document: JSON.stringify(request.body),
    keepSince: now - ctx.retentionMs - KEPT_LONGER_MS,
    now,
  }
  const { result } = await changeInStore(
    ctx,
    request,
    { call: 'putProfile', params },
    {
      workspacePublicId: '',
      action: replaced === null ? 'service.added' : 'service.updated',
      target: { type: 'service', id: name },
      // The versions of a service that is added again continue, which only the store knows.
      details: { title: profile.title, ...(replaced === null ? {} : { version: replaced.version + 1 }) },
    },
  )
  if (result.outcome === 'too_many') {
    throw new Problem(
      'service_limit_reached',
      `There are already ${MAX_PROFILES} services, which is the maximum. Remove one first.`,
    )
  }
  await ctx.services.refresh()
  if (result.outcome === 'put') {
    const { version } = result.profile
    const service = ctx.dialects.get(name)
    // A repeat under an Idempotency-Key gets the first response, even if the service has changed.
    return service?.version === version ? service : serviceOf(profile, {}, version)
  }
  const { version } = result
  if (version === null) throw notFound('service')
  if (replaced === null) throw taken(name)
  throw changedMeanwhile({ version }, 'service')
}

export const taken = (name: string): Problem =>
  new Problem(
    'service_exists',
    `The service ${name} already exists. Change it with PUT, or choose another name.`,
  )
