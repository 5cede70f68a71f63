/** Why a delivery was canceled: it was still pending after the retention. Nothing is noted of one that ended with its webhook. */
export const expired = `
ALTER TABLE deliveries ADD COLUMN cancel_reason TEXT
  CHECK (cancel_reason IS NULL OR cancel_reason = 'expired' AND status = 'canceled');
`
