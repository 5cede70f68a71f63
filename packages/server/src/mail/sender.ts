import type { Address } from './mail.ts'

const MAILBOX = /^(?:(?<name>[^<>"]*)<(?<inner>[^\s<>@"]+@[^\s<>@"]+)>|(?<plain>[^\s<>@"]+@[^\s<>@"]+))$/u
const CONTROL = /\p{Cc}/u

/** @param text such as `Posthorn <posthorn@example.com>`, or only the address @returns `null` when it is neither */
export function parseSender(text: string): Address | null {
  const groups = CONTROL.test(text) ? undefined : MAILBOX.exec(text.trim())?.groups
  if (groups === undefined) return null
  return { name: groups.name?.trim() ?? '', address: (groups.inner ?? groups.plain)! }
}
