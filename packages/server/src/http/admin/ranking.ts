import { Type } from 'typebox'
import { PERIOD_MS, type Period } from '../../core/stats/periods.ts'
import { deliveredShare } from '../../core/stats/summary.ts'
import { coverOf, startOf, UNIT_MS } from '../../core/stats/units.ts'
import type { Workspace } from '../../storage/rows.ts'
import type { RankedStats, Storage } from '../../storage/storage.ts'
import type { Context } from '../shared/context.ts'
import { closed } from '../shared/schemas.ts'
import { endedJson, endedMembers, successRateSchema } from '../shared/stats.ts'

type Ranking = Pick<Parameters<Storage['stats']['rankStats']>[0], 'scope' | 'by'>

const MAX_LISTED = 100
/** More than needed, since some of the first may have been deleted. */
const MAX_RANKED = 2 * MAX_LISTED

export const rankLimitQuery = Type.Optional(
  Type.Integer({ minimum: 1, maximum: MAX_LISTED, default: 10, description: 'Maximum number of results.' }),
)

export const RankedWorkspaceSchema = closed(
  {
    id: Type.String({ description: 'Identifies the workspace in paths, like its slug.' }),
    slug: Type.String({ description: 'Readable identifier in paths.' }),
    name: Type.String({ description: 'Display name.' }),
    dialect: Type.String({ description: 'The name of its service, such as `standard`.' }),
  },
  { title: 'NamedWorkspace' },
)

/** Members of everything that is ranked by attempts. */
export const rankedMembers = {
  deliveries: closed(endedMembers, { description: 'Deliveries that ended in the period.' }),
  success_rate: successRateSchema,
  attempts: Type.Integer({ description: 'Attempts in the period.' }),
  failed: Type.Integer({ description: 'Failed attempts in the period.' }),
}

export const rankedWorkspaceJson = ({ publicId, slug, name, dialect }: Workspace) => ({
  id: publicId,
  slug,
  name,
  dialect,
})

export const rankedJson = ({ deliveries, attempts, failed }: RankedStats) => ({
  deliveries: endedJson(deliveries),
  success_rate: deliveredShare(deliveries),
  attempts,
  failed,
})

/** Ranks all webhooks or workspaces, some at a time. @returns the first ones in a period up to now */
export async function rank(
  { storage, clock }: Context,
  { scope, by }: Ranking,
  period: Period,
): Promise<readonly RankedStats[]> {
  const finest = period === '1h' ? 'minute' : 'hour'
  const to = startOf(clock.now(), UNIT_MS[finest]) + UNIT_MS[finest]
  const cover = coverOf(to - PERIOD_MS[period], to, finest)
  let first: readonly RankedStats[] = []
  for (let from: number | null = 0; from !== null; ) {
    const part: Awaited<ReturnType<Storage['stats']['rankStats']>> = await storage.stats.rankStats({
      scope,
      by,
      cover,
      from,
      limit: MAX_RANKED,
    })
    first = [...first, ...part.ranked]
      .sort((one, other) => other[by] - one[by] || one.id - other.id)
      .slice(0, MAX_RANKED)
    from = part.next
  }
  return first
}
