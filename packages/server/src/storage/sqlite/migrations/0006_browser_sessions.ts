/**
 * People in browsers: operators, sessions of addresses, links that sign somebody in once. A session refers to no member: what
 * its address may do is looked up each time.
 */
export const browserSessions = `
CREATE INDEX members_of_email ON members (email);

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
