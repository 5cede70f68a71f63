/**
 * Why a delivery was canceled: it was still pending after the retention. Nothing is noted of one that ended with its webhook.
 * `expired_days` tells of which days that is, since these are kept for a while longer.
 *
 * A program that does not know of the column leaves it when it sends the delivery again, so that it may be on one that is
 * not canceled.
 */
export const expired = `
ALTER TABLE deliveries ADD COLUMN cancel_reason text CHECK (cancel_reason = 'expired');
CREATE TABLE expired_days (
  from_time bigint PRIMARY KEY,
  last_expired_at bigint NOT NULL
);
`
