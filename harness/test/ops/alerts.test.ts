import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { providePrometheus } from '../../src/prometheus/install.ts'
import { makeDirectory, removeDirectory } from '../../src/support/tempDirectory.ts'
import { type AlertCase, CASES, OVER } from './alertCases.ts'
import { BEGINS, WELL } from './alertSeries.ts'

const RULES = fileURLToPath(new URL('../../../ops/alerts.yaml', import.meta.url))
const FIRING = 'group by (alertname) (ALERTS{alertstate="firing"})'

interface RulesFile {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string
      readonly labels: { readonly severity: string }
    }[]
  }[]
}

const rules = (parse(readFileSync(RULES, 'utf8')) as RulesFile).groups.flatMap((group) => group.rules)
const run = promisify(execFile)
const { programs, missing } = await providePrometheus()
if (missing !== null) process.stderr.write(`The alert rules are not run: ${missing}\n`)

let directory: string
beforeAll(() => {
  directory = makeDirectory()
})
afterAll(() => removeDirectory(directory))

/** One case for promtool. Each states all alerts that fire, so that an extra alert fails as well. */
const unitTest = ({ fault, series, fires, at, before, over = OVER }: AlertCase) => ({
  name: fault,
  interval: '1m',
  input_series: Object.entries({ ...WELL, ...series }).map(([name, values]) => ({ series: name, values })),
  promql_expr_test: [
    { minute: BEGINS - 1, alerts: [] },
    ...(before === undefined ? [] : [{ minute: BEGINS + before.at, alerts: before.fires }]),
    { minute: BEGINS + at, alerts: fires },
    { minute: BEGINS + over, alerts: [] },
  ].map(({ minute, alerts }) => ({
    expr: FIRING,
    eval_time: `${minute}m`,
    exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
  })),
})

async function promtool(...words: string[]): Promise<string> {
  const { stdout, stderr } = await run(programs!.promtool, words).catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

test.skipIf(programs === null)('Prometheus accepts the rules', async () => {
  expect(await promtool('check', 'rules', RULES)).toContain(`SUCCESS: ${rules.length} rules found`)
})

test.skipIf(programs === null)(
  'each fault fires only the alerts that name it, and they end with it',
  async () => {
    const file = path.join(directory, 'cases.json')
    // JSON is valid YAML.
    writeFileSync(
      file,
      JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests: CASES.map(unitTest) }),
    )
    expect(await promtool('test', 'rules', file)).toBe(`Unit Testing:  ${file}\n  SUCCESS\n\n`)
  },
)

test('every alert has a fault that fires it', () => {
  const tested = new Set(CASES.flatMap(({ fires }) => fires))
  expect([...tested].sort()).toEqual(rules.map(({ alert }) => alert).sort())
})

test('a single customer fires no critical alert', () => {
  const receivers = ['a receiver hangs', 'a webhook is disabled', 'a consumer is not read for two days']
  const alerts = CASES.filter(({ fault }) => receivers.includes(fault)).flatMap(({ fires }) => fires)
  expect(alerts).toHaveLength(receivers.length)
  for (const name of alerts) expect(rules.find(({ alert }) => alert === name)!.labels.severity).toBe('info')
})
