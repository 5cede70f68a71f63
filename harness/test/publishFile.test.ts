import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Api } from '../src/support/http.ts'
import { PosthornProcess, startService } from '../src/support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../src/support/tempDirectory.ts'
import { createWorkspace, type WorkspaceClient } from '../src/support/workspaces.ts'

const EVENTS = 2_500

let directory: string
let service: PosthornProcess
let workspace: WorkspaceClient

beforeAll(async () => {
  directory = makeDirectory()
  service = await startService({ dataDir: path.join(directory, 'data') })
})

afterAll(async () => {
  await service.kill()
  removeDirectory(directory)
})

const line = (n: number) =>
  JSON.stringify({ type: 'schedule.cancel_required', data: { subject_id: `sch_${n}` } })

function write(lines: readonly string[]): string {
  const file = path.join(directory, 'events.jsonl')
  writeFileSync(file, lines.map((text) => `${text}\n`).join(''))
  return file
}

/** @param via see {@link PosthornProcess} */
async function publish(file: string, via: readonly string[] = []) {
  workspace = await createWorkspace(
    () => service.url,
    'content',
    `file-${Math.random().toString(36).slice(2)}`,
  )
  const args = ['publish', '--key', workspace.key, '--workspace', workspace.id, '--from-file', file]
  const run = new PosthornProcess(args, { POSTHORN_PUBLIC_URL: service.url }, { via })
  const { code } = await run.exited
  return { code, stdout: run.stdout, stderr: run.stderr }
}

interface FeedPage {
  readonly data: readonly { readonly data: { readonly subject_id: string } }[]
  readonly next_cursor: string
  readonly has_more: boolean
}

async function published(): Promise<string[]> {
  const api = new Api(() => service.url)
  const subjects: string[] = []
  let after = ''
  for (;;) {
    const url = `/v1/workspaces/${workspace.id}/events?limit=100${after}`
    const page = await api.get<FeedPage>(url, { token: workspace.key })
    subjects.push(...page.data.map(({ data }) => data.subject_id))
    if (!page.has_more) return subjects
    after = `&after=${encodeURIComponent(page.next_cursor)}`
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

it('publishes the events in a file, in order', async () => {
  const answer = await publish(write(numbers(EVENTS).map(line)))
  expect(answer).toEqual({ code: 0, stdout: 'Published 2,500 events.\n', stderr: '' })
  expect(await published()).toEqual(numbers(EVENTS).map((n) => `sch_${n}`))
})

it('publishes the events on stdin', async () => {
  const file = write(['', line(1), '', line(2)])
  const answer = await publish('-', ['sh', '-c', `exec "$0" "$@" < ${file}`])
  expect(answer).toEqual({ code: 0, stdout: 'Published 2 events.\n', stderr: '' })
  expect(await published()).toEqual(['sch_1', 'sch_2'])
})

it('counts already published events separately', async () => {
  const id = `evt_${'7'.repeat(32)}`
  const known = line(1).replace('{', `{"id": "${id}", `)
  const answer = await publish(write([known, line(2), known]))
  expect(answer).toEqual({
    code: 0,
    stdout: 'Published 2 events, 1 was already published.\n',
    stderr: '',
  })
  expect(await published()).toEqual(['sch_1', 'sch_2'])
})

it('names the wrong line, and says what was published', async () => {
  const wrong = JSON.stringify({ type: 'schedule.cancel_required', data: {} })
  const { code, stdout, stderr } = await publish(write([...numbers(1_500).map(line), wrong]))
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(
    /^posthorn: 422: [^\n]*\n {2}line 1501: \/data[^\n]*\nPublished [\d,]+ events, up to line (\d+)\./,
  )
  const last = Number(/up to line (\d+)/.exec(stderr)![1])
  expect(await published()).toEqual(numbers(last).map((n) => `sch_${n}`))
})

it('says that nothing was published if the first line is not JSON', async () => {
  const { code, stderr } = await publish(write(['{']))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^posthorn: line 1: use one event as JSON per line .*\nNothing was published\.\n$/)
})

it('reports an unreadable file', async () => {
  const { code, stderr } = await publish(path.join(directory, 'missing.jsonl'))
  expect(code).toBe(1)
  expect(stderr).toMatch(/^posthorn: --from-file: cannot read .*missing\.jsonl: ENOENT/)
})
