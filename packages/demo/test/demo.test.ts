import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CAST } from '../src/story/cast.ts'

const PROGRAM = fileURLToPath(new URL('../../server/bin/posthorn.js', import.meta.url))
const LIMIT_MS = 75_000

interface Outcome {
  readonly code: number
  readonly lines: readonly string[]
  readonly errors: string
}

let temp: string

beforeEach(() => {
  temp = mkdtempSync(path.join(tmpdir(), 'demo-test-'))
})

afterEach(() => {
  rmSync(temp, { recursive: true, force: true })
})

function runDemo(...options: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, TMPDIR: temp, NO_COLOR: '1' }
    execFile(
      process.execPath,
      [PROGRAM, 'demo', '--once', ...options],
      { env, timeout: LIMIT_MS },
      (error, stdout, errors) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, lines: stdout.split('\n'), errors })
      },
    )
  })
}

describe('posthorn demo --once', () => {
  it(
    'exits 0 once everything has arrived and verified, and leaves nothing behind',
    async () => {
      const { code, lines, errors } = await runDemo()
      expect({ code, errors }).toEqual({ code: 0, errors: '' })
      for (const { name } of CAST) expect(lines.some((line) => line.startsWith(`✓ ${name}`))).toBe(true)
      expect(lines.join(' ')).toContain('All 35 expected deliveries arrived and were verified.')
      expect(lines.filter((line) => line.length > 100)).toEqual([])
      expect(readdirSync(temp)).toEqual([])
    },
    LIMIT_MS,
  )

  it(
    'exits 1, names what is missing and keeps the log when a receiver has a wrong secret',
    async () => {
      const { code, lines } = await runDemo('--break-secret', 'Team chat')
      expect(code).toBe(1)
      expect(lines).toContain('✗ Team chat: generation.needs_input did not arrive.')
      expect(lines.join(' ')).toMatch(/(One thing is|things are) wrong\./)
      const kept = readdirSync(temp).map((run) => path.join(temp, run, 'service.log'))
      expect(kept).toHaveLength(1)
      expect(lines).toContain(`The log of the service: ${kept[0]}`)
    },
    LIMIT_MS,
  )
})

describe('posthorn demo', () => {
  it(
    'links to a console where its reader owns both workspaces and is an operator',
    async () => {
      const env = { ...process.env, TMPDIR: temp, NO_COLOR: '1' }
      const child = spawn(process.execPath, [PROGRAM, 'demo'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      const link = await lineWith(child.stdout, '/sign-in#')
      const [address, token] = link.split('/sign-in#')
      const answer = await fetch(`${address}/console/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
      expect(await answer.json()).toMatchObject({
        operator: true,
        workspaces: [{ role: 'owner' }, { role: 'owner' }],
      })
      child.kill('SIGINT')
      expect(await ended).toEqual([130, null])
    },
    LIMIT_MS,
  )

  it(
    'ends when npm is killed, also with a shell in between',
    async () => {
      const env = { ...process.env, TMPDIR: temp, NO_COLOR: '1' }
      // As npm does it; the shell does not replace itself, since a command follows.
      const start = `"${process.execPath}" "${PROGRAM}" demo; exit $?`
      const npm = `require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(start)}], { stdio: 'inherit' })`
      const child = spawn(process.execPath, ['-e', npm], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      // Emitted once no process has the output open.
      const closed = once(child, 'close')
      await lineWith(child.stdout, '/sign-in#')
      child.kill('SIGKILL')
      await closed
      expect(readdirSync(temp)).toEqual([])
    },
    LIMIT_MS,
  )
})

function lineWith(output: NodeJS.ReadableStream, part: string): Promise<string> {
  return new Promise((resolve) => {
    createInterface({ input: output }).on('line', (line) => {
      if (line.includes(part)) resolve(line)
    })
  })
}
