/**
 * Since when a webhook receives nothing because it is off or paused; `null` while it is on. A trigger notes it, so that no
 * path that changes the status can forget to, nor a node that does not know of the column. Of webhooks that are so already,
 * the time of their last change is the nearest that is known.
 */
export const stopped = `
ALTER TABLE webhooks ADD COLUMN stopped_at bigint;
UPDATE webhooks SET stopped_at = updated_at WHERE status <> 'on';
CREATE FUNCTION note_stop() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stopped_at := CASE
    WHEN NEW.status = 'on' THEN NULL
    WHEN OLD.status = 'on' THEN NEW.updated_at
    ELSE OLD.stopped_at END;
  RETURN NEW;
END $$;
CREATE TRIGGER note_stop BEFORE UPDATE ON webhooks
  FOR EACH ROW WHEN (NEW.status <> OLD.status) EXECUTE FUNCTION note_stop();
`
