/**
 * Workspaces, their members and keys, and signed-in people. A browser session refers to no member: the rights of its address
 * are looked up each time.
 */
export const accounts = `
CREATE TABLE workspaces (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  dialect TEXT NOT NULL,
  slug TEXT NOT NULL,
  name TEXT NOT NULL,
  suspended_at INTEGER,
  created_at INTEGER NOT NULL,
  deleted_at INTEGER
) STRICT;
CREATE UNIQUE INDEX workspaces_slug ON workspaces (slug, dialect) WHERE deleted_at IS NULL;
CREATE INDEX workspaces_deleted ON workspaces (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE members (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  email TEXT NOT NULL COLLATE NOCASE,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('owner', 'editor', 'viewer')),
  created_at INTEGER NOT NULL,
  failing_warnings INTEGER NOT NULL DEFAULT 1 CHECK (failing_warnings IN (0, 1)),
  UNIQUE (workspace_id, email)
) STRICT;
CREATE INDEX members_of_email ON members (email);

CREATE TABLE keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  workspace_id INTEGER NOT NULL REFERENCES workspaces,
  member_id INTEGER REFERENCES members ON DELETE SET NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL CHECK (json_type(scopes) = 'array'),
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT;
CREATE INDEX keys_of_workspace ON keys (workspace_id);
CREATE INDEX keys_of_member ON keys (member_id) WHERE member_id IS NOT NULL;

CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  member_id INTEGER NOT NULL REFERENCES members ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_of_member ON sessions (member_id);
CREATE INDEX sessions_expiring ON sessions (expires_at);

CREATE TABLE operators (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE browser_sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  public_id TEXT NOT NULL UNIQUE,
  email TEXT COLLATE NOCASE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX browser_sessions_of_email ON browser_sessions (email);
CREATE INDEX browser_sessions_expiring ON browser_sessions (expires_at);

CREATE TABLE sign_in_links (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL CHECK (kind IN ('email', 'operator', 'portal')),
  email TEXT COLLATE NOCASE,
  member_id INTEGER REFERENCES members ON DELETE CASCADE,
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER,
  CHECK ((kind = 'portal') = (member_id IS NOT NULL)),
  CHECK ((kind = 'portal') = (email IS NULL))
) STRICT;
CREATE INDEX sign_in_links_of_email ON sign_in_links (email, created_at) WHERE email IS NOT NULL;
CREATE INDEX sign_in_links_of_member ON sign_in_links (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX sign_in_links_expiring ON sign_in_links (expires_at);
`
