import { MAX_PROFILES, type ProfileVersion, type StoredProfile } from '../interface/profiles.ts'
import { list, lookup, type Queries, write } from './query.ts'
import { columns, FOR_NO_KEY_UPDATE, FOR_SHARE, sql } from './sql.ts'
import { row, rows, run, type Work } from './work.ts'

const STORED = `
  SELECT p.name, p.version, p.created_at AS "createdAt", v.made_at AS "updatedAt"
  FROM profiles p JOIN profile_versions v ON v.name = p.name AND v.version = p.version
  WHERE p.removed_at IS NULL`
const SHOWN_WORKSPACES = 5

export const profileSql = {
  state: sql`SELECT CAST(COALESCE(SUM(version), 0) AS bigint) AS state FROM profiles`,
  list: sql`${STORED} ORDER BY p.name`,
  get: sql`${STORED} AND p.name = $1`,
  document: sql`SELECT document FROM profile_versions WHERE name = $1 AND version = $2`,
  versions: sql`
    SELECT version, ${columns('madeAt')} FROM profile_versions WHERE name = $1 ORDER BY version DESC LIMIT 100`,
  lock: sql`
    SELECT version, ${columns('removedAt')} FROM profiles WHERE name = $1 ${FOR_NO_KEY_UPDATE}`,
  count: sql`SELECT COUNT(*) AS count FROM profiles WHERE removed_at IS NULL`,
  add: sql`
    INSERT INTO profiles (name, version, created_at) VALUES ($1, 1, $2) ON CONFLICT (name) DO NOTHING`,
  replace: sql`
    UPDATE profiles SET version = $2, removed_at = NULL,
      created_at = CASE WHEN removed_at IS NULL THEN created_at ELSE $3 END
    WHERE name = $1`,
  addVersion: sql`INSERT INTO profile_versions (name, version, document, made_at) VALUES ($1, $2, $3, $4)`,
  forget: sql`
    DELETE FROM profile_versions WHERE name = $1 AND version < (
      SELECT MAX(version) FROM profile_versions WHERE name = $1 AND made_at < $2)`,
  /** Keeps it from being removed until the transaction ends. */
  hold: sql`SELECT version FROM profiles WHERE name = $1 AND removed_at IS NULL ${FOR_SHARE}`,
  using: sql`
    SELECT slug FROM workspaces WHERE dialect = $1 AND deleted_at IS NULL
    ORDER BY id LIMIT ${String(SHOWN_WORKSPACES)}`,
  remove: sql`UPDATE profiles SET version = version + 1, removed_at = $2 WHERE name = $1`,
}

interface Locked {
  readonly version: number
  readonly removedAt: number | null
}

export const profileQueries: Queries<
  | 'readProfilesState'
  | 'listProfiles'
  | 'getProfileDocument'
  | 'listProfileVersions'
  | 'putProfile'
  | 'removeProfile'
> = {
  readProfilesState: lookup(function* () {
    return (yield* row<{ readonly state: number }>(profileSql.state))!.state
  }),
  listProfiles: list(() => rows<StoredProfile>(profileSql.list)),
  getProfileDocument: lookup(function* ({ name, version }) {
    const found = yield* row<{ readonly document: string }>(profileSql.document, [name, version])
    return found?.document ?? null
  }),
  listProfileVersions: list(({ name }) => rows<ProfileVersion>(profileSql.versions, [name])),
  putProfile: write(function* ({ name, version, document, keepSince, now }) {
    const known = yield* row<Locked>(profileSql.lock, [name])
    const current = known === undefined || known.removedAt !== null ? null : known.version
    if (current !== version) return { outcome: 'other_version', version: current }
    if (version === null) {
      const { count } = (yield* row<{ readonly count: number }>(profileSql.count))!
      if (count >= MAX_PROFILES) return { outcome: 'too_many' }
    }
    const next = yield* nextVersion(name, known, now)
    // Another transaction added it at the same time.
    if (next === null) return { outcome: 'other_version', version: 1 }
    yield* run(profileSql.addVersion, [name, next, document, now])
    yield* run(profileSql.forget, [name, keepSince])
    const profile = yield* row<StoredProfile>(profileSql.get, [name])
    return { outcome: 'put', profile: profile! }
  }),
  removeProfile: write(function* ({ name, now }) {
    const known = yield* row<Locked>(profileSql.lock, [name])
    if (known === undefined || known.removedAt !== null) return { outcome: 'not_found' }
    const using = yield* rows<{ readonly slug: string }>(profileSql.using, [name])
    if (using.length > 0) return { outcome: 'in_use', workspaces: using.map(({ slug }) => slug) }
    yield* run(profileSql.remove, [name, now])
    return { outcome: 'removed' }
  }),
}

/** @returns `null`: it is there already */
function* nextVersion(name: string, known: Locked | undefined, now: number): Work<number | null> {
  if (known === undefined) return (yield* run(profileSql.add, [name, now])) === 0 ? null : 1
  const next = known.version + 1
  yield* run(profileSql.replace, [name, next, now])
  return next
}

/** Whether a profile is there; it stays until the transaction ends. */
export function* holdProfile(name: string): Work<boolean> {
  return (yield* row<{ readonly version: number }>(profileSql.hold, [name])) !== undefined
}
