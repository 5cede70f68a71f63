/**
 * The embedded store that came here, or is on its way: before all of it is here, no node may work on the rest. A program
 * that does not know of this is refused by the trigger, since it cannot register.
 */
export const move = `
CREATE TABLE move (
  id smallint PRIMARY KEY CHECK (id = 1),
  store_key bytea NOT NULL,
  state bytea NOT NULL,
  begun_at bigint NOT NULL,
  finished_at bigint
);
CREATE TABLE move_progress (
  table_name text PRIMARY KEY,
  copied_through bigint NOT NULL,
  copied_rows bigint NOT NULL
);
CREATE FUNCTION refuse_while_moving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM move WHERE finished_at IS NULL) THEN
    RAISE EXCEPTION 'a store is being moved into this database' USING ERRCODE = 'cannot_connect_now';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER refuse_while_moving BEFORE INSERT OR UPDATE ON nodes
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_moving();
`
