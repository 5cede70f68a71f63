/** How often a webhook was told of lately is an index away. */
export const bounds = `
CREATE INDEX notifications_of_webhook ON notifications (webhook_id, created_at)
  WHERE kind = 'webhook_off' AND given_up_at IS NULL;
`
