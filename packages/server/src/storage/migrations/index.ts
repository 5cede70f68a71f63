import { initial } from './0001_initial/index.ts'
import { outages } from './0002_outages/index.ts'
import { profiles } from './0003_profiles/index.ts'
import { recovery } from './0004_recovery/index.ts'
import { search } from './0005_search/index.ts'
import { limits } from './0006_limits/index.ts'
import { warnings } from './0007_warnings/index.ts'
import { numbers } from './0008_numbers/index.ts'
import { missed } from './0009_missed/index.ts'
import { recoveries } from './0010_recoveries/index.ts'
import { consumers } from './0011_consumers/index.ts'
import { masterKeys } from './0012_master_keys/index.ts'
import { nodeVersions } from './0013_node_versions/index.ts'
import { traceContexts } from './0014_trace_contexts/index.ts'
import { adminTokens } from './0015_admin_tokens/index.ts'
import { identityProvider } from './0016_identity_provider/index.ts'
import { stats } from './0017_stats/index.ts'
import type { Migration } from './migration.ts'

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [
  initial,
  outages,
  profiles,
  recovery,
  search,
  limits,
  warnings,
  numbers,
  missed,
  recoveries,
  consumers,
  masterKeys,
  nodeVersions,
  traceContexts,
  adminTokens,
  identityProvider,
  stats,
]
