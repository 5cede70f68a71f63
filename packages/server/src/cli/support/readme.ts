import { countOf } from '../words.ts'
import type { Member } from './bundle.ts'

interface Contents {
  readonly at: Date
  readonly members: readonly Member[]
  /** Credentials that were taken out of the log, by what they look like. */
  readonly removedFromLog: readonly string[]
  /** Where secrets are from that are too short or too ordinary to be searched for. */
  readonly ordinary: readonly string[]
}

/** `README.txt` of the bundle, for the sender and the recipient. */
export function readmeText({ at, members, removedFromLog, ordinary }: Contents): string {
  const present = members.filter(({ missing }) => missing === null)
  const missing = members.filter((member) => member.missing !== null)
  return `Posthorn support bundle, written by \`posthorn support\` at ${at.toISOString()}.

What is in it:
${present.map(({ name, what }) => `- ${name}: ${what}\n`).join('')}
What could not be had, and why:
${missing.length === 0 ? '- nothing\n' : missing.map(({ name, what, missing: why }) => `- ${name} (${what}): ${why}\n`).join('')}
What is never in it:
- Secrets: admin tokens, API keys, sessions, master keys, signing secrets, passwords. Settings show ******** in their place.
- Events, payloads, deliveries, and the webhooks of customers.
- Names and slugs of workspaces, except in log.txt and settings.txt as said below. They appear as ids.
- E-mail addresses, and paths and queries of web addresses: they were removed.

What stays, and may be confidential where you work:
- Host names and IP addresses, also of receivers and clients, in log.txt and settings.txt: network faults are found by them.
- Names of files and directories, and of databases of Posthorn and of outboxes.
- Slugs of workspaces, and groups, that POSTHORN_OIDC_ROLES names, in settings.txt and log.txt.
- Ids of workspaces, webhooks, events and deliveries in log.txt.
- log.txt is free text. Read it before you send it.
${removalLines(removedFromLog)}${ordinaryLines(ordinary)}`
}

function removalLines(removed: readonly string[]): string {
  if (removed.length === 0) return ''
  const counts = new Map<string, number>()
  for (const name of removed) counts.set(name, (counts.get(name) ?? 0) + 1)
  const lines = [...counts].map(([name, count]) => `- ${name}: ${countOf(count, 'time')}\n`).join('')
  return `\nThe log has texts that look like credentials. They were removed from log.txt, and are still in the log itself:\n${lines}`
}

function ordinaryLines(ordinary: readonly string[]): string {
  if (ordinary.length === 0) return ''
  const lines = [...new Set(ordinary)].map((from) => `- ${from}\n`).join('')
  return `\nThese secrets are so short or ordinary that they were searched for in URLs alone:\n${lines}`
}
