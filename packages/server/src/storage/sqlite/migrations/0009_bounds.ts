/** How often a webhook was told of lately, and which e-mail goes next, is an index away. */
export const bounds = `
CREATE INDEX notifications_of_webhook ON notifications (webhook_id, created_at)
  WHERE kind = 'webhook_off' AND given_up_at IS NULL;
DROP INDEX notifications_waiting;
CREATE INDEX notifications_waiting ON notifications
  ((CASE WHEN kind = 'sign_in' THEN 0 WHEN attempts > 0 THEN 1 ELSE 2 END), due_at)
  WHERE sent_at IS NULL AND given_up_at IS NULL;
`
