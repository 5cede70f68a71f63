/**
 * Notifications go out by e-mail, sign-in links among them. `due_at` is when one is to be tried, and while it is claimed,
 * when the claim runs out. What was kept before anybody sent it is worth telling for a day. Nodes of the release before
 * go on adding rows: what they do not know of has a default.
 */
export const emails = `
ALTER TABLE members ADD COLUMN failing_warnings boolean NOT NULL DEFAULT true;

ALTER TABLE notifications
  DROP CONSTRAINT notifications_kind_check,
  ADD CONSTRAINT notifications_kind_check CHECK (kind IN ('webhook_off', 'webhook_failing', 'sign_in')),
  ALTER COLUMN workspace_id DROP NOT NULL,
  ALTER COLUMN webhook_id DROP NOT NULL,
  ADD COLUMN message_key text NOT NULL UNIQUE DEFAULT replace(gen_random_uuid()::text, '-', ''),
  ADD COLUMN to_email text,
  ADD COLUMN sealed bytea,
  ADD COLUMN expires_at bigint,
  ADD COLUMN due_at bigint NOT NULL DEFAULT 0,
  ADD COLUMN claim text,
  ADD COLUMN attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  ADD COLUMN last_error text,
  ADD COLUMN given_up_at bigint,
  ADD CHECK (sent_at IS NULL OR given_up_at IS NULL),
  ADD CHECK ((kind = 'sign_in') = (to_email IS NOT NULL)),
  ADD CHECK (kind = 'sign_in' OR (workspace_id IS NOT NULL AND webhook_id IS NOT NULL AND sealed IS NULL)),
  ADD CHECK (kind <> 'sign_in' OR expires_at IS NOT NULL),
  ADD CHECK (kind <> 'sign_in' OR (sealed IS NULL) = (sent_at IS NOT NULL OR given_up_at IS NOT NULL));
UPDATE notifications SET expires_at = created_at + 86400000;
DROP INDEX notifications_unsent;
CREATE INDEX notifications_waiting ON notifications (due_at, id) WHERE sent_at IS NULL AND given_up_at IS NULL;
`
