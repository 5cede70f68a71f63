import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { curlCommand, quoted } from '../src/model/curl.ts'

const run = promisify(execFile)

const NASTY = [
  '',
  'plain',
  `it's "quoted" \`date\` $(date) $HOME \\ \\n !! # ; & | > < * ? ~ {a,b} [c]`,
  `'`,
  `''''\\'\\'`,
  '@/etc/passwd',
  '-X DELETE',
  'two\nlines\r\nand a\ttab',
  '\u0001\u0007\u001b[31mred\u007f\u009b',
  'Ünïcödé 日本語 🎺 é\u0301',
  '\u202ereversed\u2066 \u200bhidden\ufeff\u2028',
  '%s %d %% \\047 \\x41 \\u0041',
  'a\u00011 b\u00019 digits after what is spelled out',
]

describe('quoted', () => {
  it.each(NASTY)('is one word to bash: %j', async (text) => {
    const { stdout } = await run('bash', ['-c', `printf '%s|' ${quoted(text)}; echo end`])
    expect(stdout).toBe(`${text}|end\n`)
  })

  it('contains nothing that a terminal interprets', () => {
    for (const text of NASTY) expect(quoted(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })
})

describe('curlCommand', () => {
  const server = createServer()
  let url = ''

  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  /** Runs the command in a real bash. @returns what a server received from it */
  async function received(command: string) {
    const request = once(server, 'request').then(async ([incoming, response]) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      response.end()
      return {
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        body: Buffer.concat(chunks).toString(),
      }
    })
    // Passed on standard input, since a command may be longer than an argument.
    const bash = execFile('bash', { env: { PATH: process.env.PATH, HOME: '/nonexistent' } })
    bash.stdin!.end(`${command} --silent`)
    const [got] = await Promise.all([request, once(bash, 'exit')])
    return got
  }

  it.each([...NASTY, '\0a\0', `{"n":${'1'.repeat(200_000)}}`, `'\0%s\\`, '-\0'])(
    'sends the body byte for byte',
    async (body) => {
      expect((await received(curlCommand({ url, headers: {} }, body))).body).toBe(body)
    },
  )

  it('sends exactly the headers of the attempt', async () => {
    const headers = {
      host: 'hooks.example.com',
      'content-length': '2',
      'content-type': 'application/json',
      'user-agent': 'Posthorn/1',
      'webhook-signature': "v1,a+b/c= v1,d'e",
      'x-empty': '',
    }
    const got = await received(curlCommand({ url: `${url}/a%20b?c={d}&e=[1-3]'`, headers }, '{}'))
    expect(got.method).toBe('POST')
    expect(got.path).toBe("/a%20b?c={d}&e=[1-3]'")
    expect(got.headers).toEqual({ ...headers, host: url.slice('http://'.length) })
  })
})
