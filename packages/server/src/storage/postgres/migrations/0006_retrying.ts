/**
 * What is tried again is found by the index of what ended badly: these together are all that the code of a failed
 * attempt can be the latest of. A first try that succeeds touches nothing of this still.
 *
 * A program that does not know of it leaves the mark out. Rows are not checked again, which would look at all of them
 * while nobody could write.
 */
export const retrying = `
ALTER TABLE deliveries DROP CONSTRAINT deliveries_check1;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_ended_badly_check CHECK (
  CASE WHEN status IN ('failed', 'dead', 'canceled') THEN ended_badly IS NOT DISTINCT FROM status
    WHEN status = 'pending' AND attempts > 0 THEN ended_badly IS NULL OR ended_badly = 'retrying'
    ELSE ended_badly IS NULL END) NOT VALID;
UPDATE deliveries d SET ended_badly = 'retrying'
FROM waiting w
WHERE d.id = w.delivery_id AND d.created_at = w.created_at AND d.status = 'pending' AND d.attempts > 0;
`
