import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfigFile } from '../../../src/cli/config/configFile.ts'

let file = ''
beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), 'posthorn-')), 'p.yaml')
})
afterEach(() => rmSync(path.dirname(file), { recursive: true }))

function read(text: string | Uint8Array) {
  writeFileSync(file, text, { mode: 0o600 })
  const { values, mistakes } = readConfigFile(file)
  return {
    values: Object.fromEntries([...values].map(([variable, given]) => [variable, given.text])),
    mistakes: mistakes.map((line) => line.replace(`${file}:`, '')),
  }
}

describe('a configuration file', () => {
  test.each([
    ['port: 8080', { POSTHORN_PORT: '8080' }],
    ['port: 0080 # as written', { POSTHORN_PORT: '0080' }],
    ['"port": "8080"', { POSTHORN_PORT: '8080' }],
    ['new-store: true', { POSTHORN_NEW_STORE: 'true' }],
    [
      'max-bytes-per-day-per-workspace: 9007199254740993',
      { POSTHORN_MAX_BYTES_PER_DAY_PER_WORKSPACE: '9007199254740993' },
    ],
    [
      'email-from: Posthorn <posthorn@example.com>',
      { POSTHORN_EMAIL_FROM: 'Posthorn <posthorn@example.com>' },
    ],
    ['egress-ports: [8444, 9000]', { POSTHORN_EGRESS_PORTS: '8444,9000' }],
    ['egress-ports:\n  - 8444\n  - 9000\n', { POSTHORN_EGRESS_PORTS: '8444,9000' }],
    ['egress-ports: 8444,9000', { POSTHORN_EGRESS_PORTS: '8444,9000' }],
    ['{"port": 8080, "host": "::1"}', { POSTHORN_PORT: '8080', POSTHORN_HOST: '::1' }],
    ['billing-eu-retry: [5s]', { POSTHORN_BILLING_EU_RETRY: '5s' }],
    ['smtp-url-file: /run/secrets/smtp', { POSTHORN_SMTP_URL_FILE: '/run/secrets/smtp' }],
    ['\uFEFFport: 1', { POSTHORN_PORT: '1' }],
    ['port: 1\r\nhost: ::1\r\n', { POSTHORN_PORT: '1', POSTHORN_HOST: '::1' }],
    ['# port: 1', {}],
    ['', {}],
    ['---\n', {}],
  ])('with %j', (text, values) => expect(read(text)).toEqual({ values, mistakes: [] }))

  test.each([
    ['prot: 1', ['1:1: prot is not a setting; did you mean port?']],
    ['dataDir: x', ['1:1: dataDir is not a setting; did you mean data-dir?']],
    ['POSTHORN_DATA_DIR: x', ['1:1: POSTHORN_DATA_DIR is not a setting; did you mean data-dir?']],
    ['billing_retry: 5s', [expect.stringContaining('1:1: billing_retry is not a setting')]],
    ['config: other.yaml', [expect.stringContaining('1:1: config is not a setting')]],
    [
      'color: red',
      [
        '1:1: color is not a setting; settings are the options of posthorn serve --help, without the leading hyphens',
      ],
    ],
    ['host: x\nport:\n', ['2:6: port: the value is empty; set one, or remove the key to use the default']],
    ['port: ""', ['1:7: port: the value is empty; set one, or remove the key to use the default']],
    ['egress-ports: []', [expect.stringContaining('1:15: egress-ports: the value is empty')]],
    ['egress-ports: [8444, ""]', [expect.stringContaining('1:22: egress-ports: the value is empty')]],
    ['egress-ports: ["1,2"]', ['1:16: egress-ports: write each value as its own list item, without commas']],
    ['port: [1]', ['1:7: port: write one value, not a list']],
    ['port: {a: 1}', ['1:7: port: write one value, not a mapping with keys']],
    ['egress-ports: [[1]]', ['1:16: egress-ports: write one value, not a mapping with keys']],
    ['host: &a x\ndata-dir: *a', ['2:11: data-dir: write the value itself; YAML aliases are not supported']],
    ['? [a]\n: 1', ['1:3: use the name of a setting as the key, such as port']],
    ['port', ['1:1: write one setting per line, such as port: 8080']],
    ['- port: 1', ['1:1: write one setting per line, such as port: 8080']],
    ['port: 1\nport: 2', ['2:1: port is set twice; remove one of the two']],
    ['port: 1\n host: x\n', [expect.stringMatching(/^1:7: not valid YAML: /)]],
    ['port: 1\n---\nport: 2', ['2:1: use one YAML document; remove this line']],
    ['port: "1', [expect.stringMatching(/^1:9: not valid YAML: /)]],
    ['\tport: 1', [expect.stringMatching(/^1:1: not valid YAML: Tabs /)]],
    [
      'port: !port 1',
      [expect.stringMatching(/^1:7: not valid YAML: put a value that begins with ! in quotes/)],
    ],
  ])('with %j has its mistakes named with line and column', (text, mistakes) =>
    expect(read(text).mistakes).toEqual(mistakes),
  )

  test('that expands to a huge size is not expanded', () => {
    const laughs = [
      'a: &a [x, x]',
      ...'bcdefghij'
        .split('')
        .map((name, i) => `${name}: &${name} [*${'abcdefghij'[i]}, *${'abcdefghij'[i]}]`),
    ]
    expect(read(laughs.join('\n')).mistakes).toHaveLength(10)
  })

  test('that is not text, or too large, cannot be read', () => {
    expect(() => read(Uint8Array.of(0xff, 0xfe, 0x70, 0))).toThrow(`cannot use ${file}: it is not UTF-8 text`)
    expect(() => read('#'.repeat(128 * 1024 + 1))).toThrow(`cannot use ${file}: it is larger than 128 KiB`)
  })

  test.each([
    'admin-token: !hunter2-of-the-operator',
    'admin-token: !hunter2-of-the-operator x',
    'admin-token: |hunter2-of-the-operator\n  x',
    'admin-token: "x\\hunter2-of-the-operator"',
    'admin-token: *hunter2-of-the-operator',
    '%hunter2-of-the-operator\n---\nport: 1',
    'POSTHORN_ADMIN_TOKEN=hunter2-of-the-operator: 1',
    'POSTHORN_ADMIN_TOKEN=hunter2-of-the-operator\nport: 1',
    'database-url=postgres://posthorn:hunter2-of-the-operator@db/posthorn: ',
    'postgres://posthorn:hunter2-of-the-operator@db/posthorn: ',
  ])('with a misplaced secret does not repeat it: %j', (text) => {
    const { mistakes } = read(text)
    expect(mistakes).not.toEqual([])
    expect(mistakes.join('\n')).not.toContain('hunter2-')
  })

  test('with control characters in a key sends none to the screen', () => {
    expect(read('"po\\e[31mrt": 1').mistakes).toEqual([
      '1:1: this key is not the name of a setting; settings are the options of posthorn serve --help, without the leading hyphens',
    ])
  })

  test('with very many keys or mistakes is read quickly, and the first mistakes are named', () => {
    const text = Array.from({ length: 12_000 }, (_, i) => `k${i}: 1\n`).join('')
    const startedAt = performance.now()
    const { mistakes } = read(text)
    expect([mistakes.length, mistakes[0], mistakes.at(-1)]).toEqual([
      21,
      expect.stringContaining('k0 is not a setting'),
      ' only the first 20 errors are shown',
    ])
    expect(performance.now() - startedAt).toBeLessThan(5_000)
  })
})
