import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { SETTINGS } from '../../../src/cli/settings.ts'
import { busyNode, type Exposition } from './exposition.ts'
import { groupedBy, type Selector, selectorsOf } from './promql.ts'

const REPOSITORY = new URL('../../../../../', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, REPOSITORY), 'utf8')

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string; readonly fault: string }
  readonly annotations: { readonly runbook_url: string }
}

interface Panel {
  readonly title: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const rules = (
  parse(read('ops/alerts.yaml')) as { groups: readonly { rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules)
const { panels } = JSON.parse(read('ops/dashboard.json')) as { panels: readonly Panel[] }
const targets = panels.flatMap(({ title, targets: queries = [] }) =>
  queries.map((query) => ({ title, ...query })),
)
const runbook = read('docs/operations/runbook.md')
const entries = runbook
  .split(/^#{2,3} /m)
  .filter((part) => /^Posthorn\w+\n/.test(part))
  .map((part) => ({ name: part.slice(0, part.indexOf('\n')), text: part }))

/** Prometheus adds these to scraped metrics. */
const SCRAPED = ['job', 'instance']
/** Metrics that neither a rule nor the dashboard uses. Tests do not show the state of deliveries. */
const UNUSED = ['posthorn_test_attempts_total']

let exposition: Exposition
beforeAll(async () => {
  exposition = await busyNode()
})

/** Mistakes in a query: metrics, labels and values that no node has. */
function mistakesIn(query: string): string[] {
  const selectors = selectorsOf(query)
  const known = selectors.flatMap(({ metric }) => [...(exposition.get(metric)?.keys() ?? [])])
  const groups = groupedBy(query).filter((label) => ![...SCRAPED, ...known].includes(label))
  return [
    ...(selectors.length === 0 ? ['it names no metric'] : []),
    ...selectors.flatMap(mistakesOf),
    ...groups.map((label) => `no label ${label} to group by`),
  ]
}

function mistakesOf({ metric, labels }: Selector): string[] {
  // Prometheus creates it.
  if (metric === 'up') return []
  const known = exposition.get(metric)
  if (known === undefined) return [`no metric ${metric}`]
  return labels
    .filter(({ name }) => !SCRAPED.includes(name))
    .flatMap(({ name, values }) => {
      const seen = known.get(name)
      if (seen === undefined) return [`${metric} has no label ${name}`]
      return values
        .filter((value) => ![...seen].some((one) => new RegExp(`^(?:${value})$`).test(one)))
        .map((value) => `${metric}{${name}} is never ${value}`)
    })
}

/** A histogram is one metric. */
const base = (metric: string) => metric.replace(/_(bucket|sum|count)$/, '')

describe('alert rules', () => {
  it.each(rules.map(({ alert, expr }) => [alert, expr]))('%s queries metrics that nodes have', (_, expr) => {
    expect(mistakesIn(expr)).toEqual([])
  })

  it('say who should look and where, and link to their entry in the runbook', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(labels.severity, alert).toMatch(/^(critical|warning|info)$/)
      expect(runbook, alert).toContain(`\`${labels.fault}\``)
      expect(annotations.runbook_url).toBe(`docs/operations/runbook.md#${alert.toLowerCase()}`)
      expect(Object.keys(annotations)).toEqual(['summary', 'description', 'runbook_url'])
    }
  })
})

describe('the runbook', () => {
  it('has an entry for each alert, and no other', () => {
    expect(entries.map(({ name }) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort())
  })

  it.each(entries.map(({ name, text }) => [name, text]))('%s has all parts of an entry', (_, text) => {
    const parts = [...text.matchAll(/^- \*\*(.*?):\*\*/gm)].map(([, part]) => part)
    expect(parts).toEqual(['Means', 'Look first', 'Do', 'Over when'])
  })

  it('names settings, metrics, routes and entries that exist', () => {
    const variables = Object.values(SETTINGS).map(({ variable }) => variable as string)
    for (const [name] of runbook.matchAll(/\bPOSTHORN_[A-Z_]+/g)) expect(variables).toContain(name)
    for (const [name] of runbook.matchAll(/\bposthorn_\w+/g)) expect([...exposition.keys()]).toContain(name)
    const paths = Object.keys((JSON.parse(read('docs/api/admin.openapi.json')) as { paths: object }).paths)
    for (const [, route] of runbook.matchAll(/`admin '?([\w-]+)/g))
      expect(paths).toContain(`/admin/v1/${route}`)
    const anchors = [...runbook.matchAll(/^##+ (.+)$/gm)].map(([, heading]) =>
      heading!.toLowerCase().replaceAll(' ', '-'),
    )
    for (const [, anchor] of runbook.matchAll(/\]\(#([\w-]+)\)/g)) expect(anchors).toContain(anchor)
  })
})

describe('the dashboard', () => {
  it.each(targets.map(({ title, expr }) => [title, expr]))('%s: %s', (_, expr) => {
    expect(mistakesIn(expr)).toEqual([])
  })

  it('names lines by labels that the query keeps', () => {
    for (const { expr, legendFormat } of targets)
      for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g))
        expect([...groupedBy(expr), ...(/\bby\b/.test(expr) ? [] : SCRAPED)], expr).toContain(label)
  })

  it('shows every metric of Posthorn, or a rule uses it', () => {
    const queries = [...targets, ...rules]
    const used = queries.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => base(metric)))
    const own = [...exposition.keys()].filter((name) => name.startsWith('posthorn_')).map(base)
    expect([...new Set(own)].filter((name) => !used.includes(name))).toEqual(UNUSED)
  })
})

it('a query with an unknown metric, label or value is found', () => {
  expect(mistakesIn('sum by (zone) (posthorn_egress_opened{instance="a"})')).toEqual([
    'no metric posthorn_egress_opened',
    'no label zone to group by',
  ])
  expect(mistakesIn('posthorn_attempt_failures_total{cause="us",kind="x"}')).toEqual([
    'posthorn_attempt_failures_total{cause} is never us',
    'posthorn_attempt_failures_total has no label kind',
  ])
})
