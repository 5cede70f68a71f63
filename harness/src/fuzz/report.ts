import type { Answer } from '../api/transport.ts'
import type { Finding, FuzzReport } from './fuzz.ts'

const SHOWN_CHARACTERS = 4_000

/** Everything needed to repeat the request. */
export function findingText(
  { number, operation, request, answer, fault, failsAlone }: Finding,
  seed: number,
): string {
  const { method, path, headers, body } = request
  return [
    `request ${number} of seed ${seed}, made for ${operation}: ${[fault.kind, ...fault.details].join('; ')}`,
    `  ${method} ${shown(path)}`,
    ...headers.map(([name, value]) => `  ${name}: ${shown(value)}`),
    ...(body === null ? [] : [`  body: ${shownBody(body)}`]),
    `  → ${answer instanceof Error ? answer.message : shownAnswer(answer)}`,
    `repeated without others it ${failsAlone ? 'fails again' : 'does not fail'}`,
    `  replay: npx tsx harness/src/fuzz/main.ts --seed ${seed} --requests ${number + 1}`,
  ].join('\n')
}

export function summaryOf({ requests, byStatus, findings }: FuzzReport): string {
  const counts = [...byStatus].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
  return `${requests} requests: ${counts.join(', ')}; ${findings.length} kinds of findings`
}

const shownAnswer = ({ status, headers, body }: Answer) =>
  `${status} ${headers['content-type'] ?? ''} ${shown(body.subarray(0, SHOWN_CHARACTERS).toString())}`

/** Text without control characters; a binary body in base64. */
function shownBody(body: Uint8Array): string {
  const text = Buffer.from(body).toString()
  return Buffer.from(text).equals(body)
    ? shown(text)
    : `base64 ${Buffer.from(body).toString('base64').slice(0, SHOWN_CHARACTERS)}`
}

function shown(text: string): string {
  const short =
    text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)` : text
  return short.replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
