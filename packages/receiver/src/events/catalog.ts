/**
 * Stands for every event type that a catalog does not list. At run time it is the plain type string, such as `brief.ready`.
 * The pattern exists only for the compiler, which could not narrow a union by `type` if one member's were any string. Assign
 * it to a `string` to compare it: `const type: string = event.type`.
 */
export type UnlistedEventType = `unlisted ${string}`

/** A signed JSON object whose members are still unknown. */
export type JsonObject = { readonly [member: string]: unknown }

/** Event types of a catalog, a type of `{ 'invoice.paid': InvoicePaid }`. */
export type TypesOf<Catalog> = keyof Catalog & string
