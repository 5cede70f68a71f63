/**
 * Since when a webhook receives nothing because it is off or paused; `null` while it is on. A trigger notes it, so that no
 * path that changes the status can forget to. Of webhooks that are so already, the time of their last change is the nearest
 * that is known.
 */
export const stopped = `
ALTER TABLE webhooks ADD COLUMN stopped_at INTEGER;
UPDATE webhooks SET stopped_at = updated_at WHERE status <> 'on';
CREATE TRIGGER note_stop AFTER UPDATE OF status ON webhooks WHEN NEW.status <> OLD.status
BEGIN
  UPDATE webhooks SET stopped_at = CASE
      WHEN NEW.status = 'on' THEN NULL
      WHEN OLD.status = 'on' THEN NEW.updated_at
      ELSE OLD.stopped_at END
    WHERE id = NEW.id;
END;
`
