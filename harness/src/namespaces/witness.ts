import { query, type Row } from '../postgres/query.ts'

/** Every change of a lease with its author, recorded by the database in the same transaction. */
const INSTALL = `
  create schema witness
    create table nodes (id bigint, client inet, at bigint)
    create table ended_nodes (id bigint, lease_until bigint, at bigint)
    create table leases (id bigint, node_id bigint)
    create table records (delivery_id bigint, lease bigint, client inet, node_id bigint, lease_until bigint, at bigint)
    create table freed (delivery_id bigint, lease bigint, at bigint);

  create function witness.node() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' then
      insert into witness.nodes values (new.id, inet_client_addr(), posthorn.now_ms());
    else
      insert into witness.ended_nodes values (old.id, old.lease_until, posthorn.now_ms());
    end if;
    return null;
  end $$;
  create trigger witness after insert or delete on posthorn.nodes for each row execute function witness.node();

  create function witness.lease() returns trigger language plpgsql as $$ begin
    insert into witness.leases values (new.id, new.node_id);
    return null;
  end $$;
  create trigger witness after insert on posthorn.leases for each row execute function witness.lease();

  create function witness.delivery() returns trigger language plpgsql as $$ begin
    if new.attempts <> old.attempts then
      insert into witness.records
      select old.id, old.lease, inet_client_addr(), l.node_id, n.lease_until, posthorn.now_ms()
      from (select 1) one left join posthorn.leases l on l.id = old.lease left join posthorn.nodes n on n.id = l.node_id;
    elsif old.lease is not null and new.lease is null then
      insert into witness.freed values (old.id, old.lease, posthorn.now_ms());
    end if;
    return new;
  end $$;
  create trigger witness before update on posthorn.deliveries for each row execute function witness.delivery();`

/** An attempt that was recorded. Times are the database's, Unix ms. */
export interface Recorded {
  readonly deliveryId: number
  /** Address of the node that recorded it. */
  readonly client: string
  /**
   * The node with the delivery's lease at that moment, and the expiry of that node's own lease; `null`: gone.
   */
  readonly nodeId: number | null
  readonly leaseUntil: number | null
  readonly at: number
}

/** A node in the store: a process gets another one after it has lost its lease. */
export interface NodeLife {
  readonly id: number
  readonly client: string
  readonly at: number
  /** When another node took over its deliveries, and the expiry of its lease; `null` while it lives. */
  readonly ended: { readonly leaseUntil: number; readonly at: number } | null
}

/** A delivery that a node lost or released. */
export interface Freed {
  readonly deliveryId: number
  readonly nodeId: number
  readonly at: number
}

const sql = {
  records: 'select delivery_id, host(client) as client, node_id, lease_until, at from witness.records',
  nodes: `
    select n.id, host(n.client) as client, n.at, e.lease_until, e.at as ended_at
    from witness.nodes n left join witness.ended_nodes e on e.id = n.id order by n.id`,
  freed: 'select f.delivery_id, l.node_id, f.at from witness.freed f join witness.leases l on l.id = f.lease',
  held: `
    select d.id, e.brought_id, w.url from posthorn.leases l
    join posthorn.held_deliveries h on h.lease = l.id
    join posthorn.deliveries d on d.id = h.id and d.created_at = h.created_at
    join posthorn.events e on e.id = d.event_id and e.created_at = d.created_at
    join posthorn.webhooks w on w.id = d.webhook_id
    where l.node_id = $1`,
  busy: `
    select 1 from pg_stat_activity
    where application_name = 'posthorn' and host(client_addr) = $1 and state = 'active'`,
}

const number = (value: unknown) => Number(value)
const numberOrNull = (value: unknown) => (value === null ? null : Number(value))

/** Watches the leases of a store from within its database. */
export class Witness {
  readonly #url: string

  private constructor(url: string) {
    this.#url = url
  }

  /** @param url of a database that has Posthorn's tables */
  static async install(url: string): Promise<Witness> {
    await query(url, INSTALL)
    return new Witness(url)
  }

  async nodes(): Promise<NodeLife[]> {
    const rows = await this.#rows(sql.nodes)
    return rows.map(({ id, client, at, lease_until, ended_at }) => ({
      id: number(id),
      client: String(client),
      at: number(at),
      ended: ended_at === null ? null : { leaseUntil: number(lease_until), at: number(ended_at) },
    }))
  }

  async records(): Promise<Recorded[]> {
    const rows = await this.#rows(sql.records)
    return rows.map(({ delivery_id, client, node_id, lease_until, at }) => ({
      deliveryId: number(delivery_id),
      client: String(client),
      nodeId: numberOrNull(node_id),
      leaseUntil: numberOrNull(lease_until),
      at: number(at),
    }))
  }

  async freed(): Promise<Freed[]> {
    const rows = await this.#rows(sql.freed)
    return rows.map(({ delivery_id, node_id, at }) => ({
      deliveryId: number(delivery_id),
      nodeId: number(node_id),
      at: number(at),
    }))
  }

  /** The deliveries of a node: event and URL of each. */
  async heldBy(nodeId: number): Promise<{ readonly eventId: string; readonly url: string }[]> {
    const rows = await this.#rows(sql.held, [nodeId])
    return rows.map(({ brought_id, url }) => ({ eventId: String(brought_id), url: String(url) }))
  }

  /** Whether the database is executing a statement for a client address. */
  async isBusyFor(client: string): Promise<boolean> {
    return (await this.#rows(sql.busy, [client])).length > 0
  }

  #rows(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return query(this.#url, text, values)
  }
}
