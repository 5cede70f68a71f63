/** What a repeat under an idempotency key is shown may be secret: then it has an end, and is deleted. */
export const memos = `
ALTER TABLE idempotency_keys ADD COLUMN memo_until INTEGER;
UPDATE idempotency_keys SET memo_until = created_at + 600000 WHERE memo IS NOT NULL AND verb <> 'publish';
CREATE INDEX idempotency_keys_by_memo ON idempotency_keys (memo_until) WHERE memo_until IS NOT NULL;
`
