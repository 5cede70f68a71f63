/**
 * What members do as often as they like costs others nothing: nodes look credentials up anew only when they mean something else, and
 * how often a webhook was told of lately, and which e-mail goes next, is an index away.
 */
export const bounds = `
DROP TRIGGER announce_credentials ON members;
CREATE TRIGGER announce_credentials AFTER DELETE ON members
  FOR EACH ROW EXECUTE FUNCTION announce_credentials();
CREATE TRIGGER announce_changed_credentials AFTER UPDATE ON members
  FOR EACH ROW WHEN ((NEW.email, NEW.name, NEW.role) IS DISTINCT FROM (OLD.email, OLD.name, OLD.role))
  EXECUTE FUNCTION announce_credentials();
CREATE INDEX notifications_of_webhook ON notifications (webhook_id, created_at)
  WHERE kind = 'webhook_off' AND given_up_at IS NULL;
DROP INDEX notifications_waiting;
CREATE INDEX notifications_waiting ON notifications
  ((CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END), due_at, id)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
`
