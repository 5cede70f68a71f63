import { countOf } from '../words.ts'
import type { Member } from './bundle.ts'

interface Contents {
  readonly at: Date
  readonly members: readonly Member[]
  /** Kinds of credentials that were removed from the log. */
  readonly removedFromLog: readonly string[]
  /** Settings whose secrets are too short or too common to be searched for. */
  readonly ordinary: readonly string[]
}

/** `README.txt` of the bundle, for the sender and the recipient. */
export function readmeText({ at, members, removedFromLog, ordinary }: Contents): string {
  const present = members.filter(({ missing }) => missing === null)
  const missing = members.filter((member) => member.missing !== null)
  return `Posthorn support bundle, written by \`posthorn support\` at ${at.toISOString()}.

What is in it:
${present.map(({ name, what }) => `- ${name}: ${what}\n`).join('')}
What is missing, and why:
${missing.length === 0 ? '- nothing\n' : missing.map(({ name, what, missing: why }) => `- ${name} (${what}): ${why}\n`).join('')}
What is never in it:
- Secrets: admin tokens, API keys, sessions, master keys, signing secrets, passwords. Settings show ******** in their place.
- Events, payloads, deliveries, and the webhooks of customers.
- Names and slugs of workspaces, except in log.txt and settings.txt, as listed below. They appear as ids.
- E-mail addresses, and paths and queries of URLs.

What is in it and may be confidential:
- Host names and IP addresses, including those of receivers and clients, in log.txt and settings.txt. They are needed to find network faults.
- Names of files and directories, and of databases of Posthorn and of outboxes.
- Workspace slugs and groups in POSTHORN_OIDC_ROLES, in settings.txt and log.txt.
- Ids of workspaces, webhooks, events and deliveries in log.txt.
- log.txt is free text. Read it before you send it.
${removalLines(removedFromLog)}${ordinaryLines(ordinary)}`
}

function removalLines(removed: readonly string[]): string {
  if (removed.length === 0) return ''
  const counts = new Map<string, number>()
  for (const name of removed) counts.set(name, (counts.get(name) ?? 0) + 1)
  const lines = [...counts].map(([name, count]) => `- ${name}: ${countOf(count, 'time')}\n`).join('')
  return `\nThe log contains texts that look like credentials. They were removed from log.txt, but the original log still has them:\n${lines}`
}

function ordinaryLines(ordinary: readonly string[]): string {
  if (ordinary.length === 0) return ''
  const lines = [...new Set(ordinary)].map((from) => `- ${from}\n`).join('')
  return `\nThese secrets are short or common words, so they were searched for in URLs only:\n${lines}`
}
