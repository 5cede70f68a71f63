import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  fileTail,
  journalLines,
  journalTail,
  MOST_BYTES,
  MOST_LINES,
  streamTail,
} from '../../../src/cli/support/logTail.ts'

let directory = ''
const file = () => path.join(directory, 'log')
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'posthorn-log-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('the tail of a file', () => {
  test('is all of a short one', async () => {
    writeFileSync(file(), 'first\nsecond\n')
    expect(await fileTail(file())).toBe('first\nsecond\n')
  })

  test('of many lines is the last ones', async () => {
    writeFileSync(file(), Array.from({ length: 2 * MOST_LINES }, (_, i) => `line ${i}\n`).join(''))
    const lines = (await fileTail(file())).split('\n')
    expect([lines[0], lines.at(-2), lines.length]).toEqual([
      `line ${MOST_LINES}`,
      `line ${2 * MOST_LINES - 1}`,
      MOST_LINES + 1,
    ])
  })

  test('of a large file begins with a whole line, and long lines are cut', async () => {
    const line = (i: number) => `${String(i).padStart(4, '0')}${'ä'.repeat(20_000)}\n`
    writeFileSync(file(), Array.from({ length: 100 }, (_, i) => line(i)).join(''))
    const text = await fileTail(file())
    expect(Buffer.byteLength(text)).toBeLessThan(MOST_BYTES)
    const lines = text.trim().split('\n')
    expect(lines.length).toBeGreaterThan(40)
    for (const [i, one] of lines.entries())
      expect(one).toMatch(new RegExp(`^00${100 - lines.length + i}ä+ … \\(\\d+ characters cut\\)$`))
  })

  test('of a missing or non-regular file is an error that names it', async () => {
    await expect(fileTail(file())).rejects.toThrow(`cannot read ${file()}: there is no such file`)
    await expect(fileTail(directory)).rejects.toThrow(`cannot read ${directory}: it is not a file`)
    // It never ends.
    await expect(fileTail('/dev/zero')).rejects.toThrow('cannot read /dev/zero: it is not a file')
  })
})

describe('the tail of a stream', () => {
  test('is its last whole lines, however long it is', async () => {
    const line = (i: number) => Buffer.from(`${String(i).padStart(4, '0')}${'x'.repeat(4091)}\n`)
    const text = await streamTail(Readable.from(Array.from({ length: 2000 }, (_, i) => line(i))))
    const lines = text.trim().split('\n')
    expect([lines.length, lines[0]!.slice(0, 4), lines.at(-1)!.slice(0, 4)]).toEqual([511, '1489', '1999'])
    expect(await streamTail(Readable.from([Buffer.from('first\nsec'), Buffer.from('ond\n')]))).toBe(
      'first\nsecond\n',
    )
  })

  test('that does not end, or is a terminal, is an error', async () => {
    await expect(streamTail(new Readable({ read() {} }), 50)).rejects.toThrow(
      'stdin did not end within 0.05 seconds',
    )
    await expect(streamTail(Object.assign(Readable.from([]), { isTTY: true }))).rejects.toThrow(
      'pipe the log',
    )
  })
})

describe('the tail of a journal', () => {
  test('has the time, the program and the message of each entry', () => {
    const entries = [
      {
        __REALTIME_TIMESTAMP: '1795680000123456',
        SYSLOG_IDENTIFIER: 'systemd',
        MESSAGE: 'Started Posthorn.',
        PRIORITY: '6',
      },
      { __REALTIME_TIMESTAMP: '1795680001000000', SYSLOG_IDENTIFIER: 'posthorn', MESSAGE: '{"level":30}' },
      { __REALTIME_TIMESTAMP: '1795680002000000', SYSLOG_IDENTIFIER: 'posthorn', MESSAGE: [255, 0] },
    ]
    const json = `${entries.map((entry) => JSON.stringify(entry)).join('\n')}\nnot JSON\n`
    expect(journalLines(json)).toBe(
      '2026-11-26T08:00:00.123Z systemd Started Posthorn.\n2026-11-26T08:00:01.000Z posthorn {"level":30}\n',
    )
  })

  const { PATH } = process.env
  afterEach(() => vi.unstubAllEnvs())
  const journalctl = (script: string) => {
    writeFileSync(path.join(directory, 'journalctl'), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(directory, 'journalctl'), 0o755)
    vi.stubEnv('PATH', `${directory}:${PATH}`)
  }

  test('is requested for a unit, within limits', async () => {
    journalctl(
      `echo "{\\"__REALTIME_TIMESTAMP\\":\\"0\\",\\"SYSLOG_IDENTIFIER\\":\\"x\\",\\"MESSAGE\\":\\"$*\\"}"`,
    )
    expect(await journalTail('posthorn-eu')).toMatch(
      /^1970-01-01T00:00:00.000Z x --unit=posthorn-eu --lines=5000 .*--output=json/,
    )
  })

  test('an unreadable one is an error that says why', async () => {
    journalctl('exit 1')
    await expect(journalTail('posthorn')).rejects.toThrow('journalctl failed')
    journalctl(':')
    await expect(journalTail('posthorn')).rejects.toThrow('has no lines of the unit posthorn')
    journalctl('yes')
    await expect(journalTail('posthorn')).rejects.toThrow('are too large')
    vi.stubEnv('PATH', directory)
    rmSync(path.join(directory, 'journalctl'))
    await expect(journalTail('posthorn')).rejects.toThrow('this machine has no journalctl')
  })
})
