import type { WaitingWorkspace } from '../../outbox/source.ts'
import { countOf, durationOf } from '../words.ts'

/** Advice for a reason, by its HTTP status. */
const ADVICE: Readonly<Record<string, string>> = {
  '401':
    'The key of the relay is not valid. Create one with the scope events:write (`posthorn key create`), and start the relay with it.',
  '403':
    'The key of the relay is not allowed to publish in this workspace. Give the relay a key of this workspace with the scope events:write.',
  '404': 'Posthorn has no such workspace. Correct its name where the application emits, or create it.',
  '429':
    'A quota is used up. The events are published when the quota allows it; the operator of Posthorn can raise it.',
}
const NO_KEY = 'If the name is wrong, correct it where the application emits.'
const STARTS = 'They are published within seconds while a relay runs.'

/** Reasons without a status. */
function adviceFor(reason: string): string | null {
  const status = /^\d{3}(?=:)/.exec(reason)?.[0]
  if (status !== undefined) return ADVICE[status] ?? null
  if (reason.startsWith('this relay has no key')) return NO_KEY
  return reason === 'retried' || reason.startsWith('waits behind') ? STARTS : null
}

/** A workspace whose events wait, for programs. */
export const reportOf = ({ workspace, rows, isMore, emittedAt, reason }: WaitingWorkspace) => ({
  workspace,
  events: rows,
  counted_all: !isMore,
  oldest_emitted_at: new Date(emittedAt).toISOString(),
  reason,
  what_to_do: adviceFor(reason),
})

/** A line for each workspace, for people. @param now Unix ms */
export function textOf(workspaces: readonly WaitingWorkspace[], now: number): string {
  if (workspaces.length === 0) return 'No workspace is blocked: no events wait.\n'
  const lines = workspaces.map((waiting) => lineOf(waiting, now))
  const drop = 'To delete them instead: posthorn outbox drop --waiting --workspace <workspace>'
  return `${[...lines, drop].join('\n')}\n`
}

function lineOf({ workspace, rows, isMore, emittedAt, reason }: WaitingWorkspace, now: number): string {
  const count = countOf(
    rows,
    isMore ? 'event or more waits' : 'event waits',
    isMore ? 'events or more wait' : 'events wait',
  )
  const age = durationOf(Math.max(0, now - emittedAt))
  const advice = adviceFor(reason)
  return printable(
    `${workspace}: ${count}, the oldest for ${age}. ${sentenceOf(reason)}${advice === null ? '' : ` ${advice}`}`,
  )
}

const sentenceOf = (reason: string): string => (/[.!?]$/.test(reason) ? reason : `${reason}.`)

/** Producers choose the names of workspaces: a name must not contain control characters for the terminal. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�')
