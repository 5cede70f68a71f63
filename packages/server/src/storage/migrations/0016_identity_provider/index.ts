import type { Migration } from '../migration.ts'

/**
 * Sign-in by an identity provider. Members and operators that its claims create have `from_provider`: they count only in
 * sessions that started there, which have `by_provider`.
 */
export const identityProvider: Migration = {
  version: 16,
  name: 'identity provider',
  does: 'records who signed in through an identity provider',
  goesThrough: { sqlite: ['members', 'operators', 'browser_sessions'], postgres: ['browser_sessions'] },
  sqlite: `
ALTER TABLE members ADD COLUMN from_provider INTEGER NOT NULL DEFAULT 0 CHECK (from_provider IN (0, 1));
ALTER TABLE operators ADD COLUMN from_provider INTEGER NOT NULL DEFAULT 0 CHECK (from_provider IN (0, 1));
ALTER TABLE browser_sessions ADD COLUMN by_provider INTEGER NOT NULL DEFAULT 0
  CHECK (by_provider = 0 OR by_provider = 1 AND email IS NOT NULL);
`,
  postgres: `
ALTER TABLE members ADD COLUMN from_provider boolean NOT NULL DEFAULT false;
ALTER TABLE operators ADD COLUMN from_provider boolean NOT NULL DEFAULT false;
ALTER TABLE browser_sessions ADD COLUMN by_provider boolean NOT NULL DEFAULT false
  CONSTRAINT browser_sessions_by_provider CHECK (NOT by_provider OR email IS NOT NULL);
DROP TRIGGER announce_changed_credentials ON members;
CREATE TRIGGER announce_changed_credentials AFTER UPDATE ON members
  FOR EACH ROW WHEN ((NEW.email, NEW.name, NEW.role, NEW.from_provider)
    IS DISTINCT FROM (OLD.email, OLD.name, OLD.role, OLD.from_provider))
  EXECUTE FUNCTION announce_credentials();
CREATE TRIGGER announce_changed_credentials AFTER UPDATE ON operators
  FOR EACH ROW EXECUTE FUNCTION announce_credentials();
`,
  worksFrom: 9,
  whyBreaking: null,
}
