/**
 * What is tried again is found beside what failed, died or was canceled, also among millions that went well: these are
 * all that the code of a failed attempt can be the latest of. A first try that succeeds never enters the index.
 */
export const retrying = `
CREATE INDEX deliveries_retrying ON deliveries (webhook_id, created_at) WHERE status = 'pending' AND attempts > 0;
`
