import { randomUUID } from 'node:crypto'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addOutboxCommands } from '../../src/cli/outbox/commands.ts'
import type { HeldState } from '../../src/outbox/source.ts'
import { eventOf, type Subject, sqliteSubject } from './subjects.ts'

const NO_KEY = 'this relay has no key for the workspace acne: start it with --key acne=<key>'

let subject: Subject

beforeEach(async () => {
  subject = await sqliteSubject()
})
afterEach(() => subject.close())

/** The output of `posthorn outbox …`. Rejects with its error. */
async function run(...args: readonly string[]): Promise<string> {
  const program = new Command()
  addOutboxCommands(program)
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    await program.parseAsync([...args, '--source', `sqlite:${subject.outbox.place}`], { from: 'user' })
    return write.mock.calls.map(([text]) => text).join('')
  } finally {
    write.mockRestore()
  }
}

async function hold(
  workspace: string,
  reason: string,
  count: number,
  state: HeldState = 'waiting',
): Promise<void> {
  await subject.emit(workspace, ...Array.from({ length: count }, () => eventOf()))
  const session = await subject.outbox.open(randomUUID())
  await session.keep()
  const { rows } = await session.read(new Set())
  await session.hold(rows.map((row) => ({ row, state, reason })))
  await session.close()
}

it('prints a line for each blocked workspace: how many events wait, since when, why, and what to do', async () => {
  expect(await run('waiting')).toBe('No workspace is blocked: no events wait.\n')
  await hold('acne', NO_KEY, 2)
  expect((await run('waiting')).replace(/for \d+ s/, 'for 1 s')).toBe(
    `acne: 2 events wait, the oldest for 1 s. ${NO_KEY}. If the name is wrong, correct it where the application emits.
To delete them instead: posthorn outbox drop --waiting --workspace <workspace>
`,
  )
  expect(JSON.parse(await run('waiting', '--json'))).toEqual([
    {
      workspace: 'acne',
      events: 2,
      counted_all: true,
      oldest_emitted_at: expect.stringMatching(/^\d{4}-.*Z$/),
      reason: NO_KEY,
      what_to_do: 'If the name is wrong, correct it where the application emits.',
    },
  ])
})

it("prints no control characters from producers' names", async () => {
  await hold('a\u001b[2Jb', '404: no such workspace', 1)
  const text = await run('waiting')
  expect(text).toContain('a�[2Jb: 1 event waits')
  expect(text).toContain('Correct its name where the application emits, or create it.')
})

it('deletes the waiting events of one workspace, once it is confirmed', async () => {
  await hold('acne', NO_KEY, 2)
  await hold('acme', '429: quota', 1)
  await expect(run('drop', '--waiting')).rejects.toThrow('give --workspace')
  await expect(run('drop', '--waiting', '--workspace', 'acne', '--all')).rejects.toThrow(
    'neither ids nor --all',
  )
  await expect(run('drop', '--waiting', '--workspace', 'beta')).rejects.toThrow(
    'no events of the workspace "beta" wait',
  )
  await expect(run('drop', '--waiting', '--workspace', 'acne')).rejects.toThrow(
    'this would delete 2 waiting events of the workspace "acne" without publishing; to do it, repeat the command with --yes',
  )
  expect((await subject.outbox.waiting('acne'))[0]!.rows).toBe(2)
  expect(await run('drop', '--waiting', '--workspace', 'acne', '--yes')).toBe('Dropped 2 events.\n')
  expect((await subject.outbox.waiting(null)).map(({ workspace }) => workspace)).toEqual(['acme'])
})

it('names the ids that no failed event has, and changes the others', async () => {
  await hold('acme', '/data is required', 2, 'failed')
  const failed = await subject.outbox.failed({ workspace: null, ids: null }, 10)
  const [first, second] = failed.map(({ event }) => (JSON.parse(event) as { id: string }).id)
  for (const command of ['retry', 'drop']) {
    await expect(run(command, 'evt_nope')).rejects.toThrow('no failed event has the id evt_nope;')
    await expect(run(command, first!, '--workspace', 'acne')).rejects.toThrow(
      `no failed event of the workspace "acne" has the id ${first};`,
    )
    expect(await run(command, '--all', '--workspace', 'acne')).toBe(
      'There are no failed events of the workspace "acne".\n',
    )
  }
  await expect(run('retry', 'evt_nope', first!)).rejects.toThrow('has the id evt_nope;')
  expect((await subject.outbox.waiting('acme'))[0]!.rows).toBe(1)
  expect(await run('drop', second!)).toBe('Dropped 1 event.\n')
  expect(await run('drop', '--all')).toBe('There are no failed events.\n')
})
