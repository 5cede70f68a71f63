/**
 * E-mails to send, sign-in links among them. `due_at` is when to send one, or, while it is claimed, when the claim expires.
 * Indexes serve the recent e-mails about a webhook, and the next e-mail to send.
 */
export const notifications = `
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_key TEXT NOT NULL UNIQUE DEFAULT (lower(hex(randomblob(16)))),
  kind TEXT NOT NULL CHECK (kind IN ('webhook_off', 'webhook_failing', 'sign_in')),
  workspace_id INTEGER,
  webhook_id INTEGER,
  member_id INTEGER REFERENCES members ON DELETE SET NULL,
  to_email TEXT,
  sealed BLOB,
  data TEXT NOT NULL CHECK (json_type(data) = 'object'),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  due_at INTEGER NOT NULL DEFAULT 0,
  claim TEXT,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  last_error TEXT,
  sent_at INTEGER,
  given_up_at INTEGER,
  CHECK (sent_at IS NULL OR given_up_at IS NULL),
  CHECK ((kind = 'sign_in') = (to_email IS NOT NULL)),
  CHECK (kind = 'sign_in' OR (workspace_id IS NOT NULL AND webhook_id IS NOT NULL AND sealed IS NULL)),
  CHECK (kind <> 'sign_in' OR expires_at IS NOT NULL),
  CHECK (kind <> 'sign_in' OR (sealed IS NULL) = (sent_at IS NOT NULL OR given_up_at IS NOT NULL))
) STRICT;
CREATE INDEX notifications_of_member ON notifications (member_id) WHERE member_id IS NOT NULL;
CREATE INDEX notifications_of_webhook ON notifications (webhook_id, created_at)
  WHERE kind = 'webhook_off' AND given_up_at IS NULL;
CREATE INDEX notifications_waiting ON notifications
  ((CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END), due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
`
