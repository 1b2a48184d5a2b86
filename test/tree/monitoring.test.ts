/** Prometheus rules and Grafana dashboards. Tests of `/metrics` compare their names with the metrics of each service. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { ALERTS_PAGE, alertsPage, type Rule, rulesOf } from '../../.ci/alerts-page.ts'
import { expressionsOf, selectorsOf } from '../monitoring-expressions.ts'

const folder = fileURLToPath(new URL('../../docs/monitoring/', import.meta.url))
const read = (file: string) => readFileSync(folder + file, 'utf8')
const RULES = ['alerts.rules.yaml', 'slo.rules.yaml']
const RULE_TESTS = ['rules.test.yaml', 'slow-burn.test.yaml']
const DASHBOARDS = ['origin.dashboard.json', 'edge.dashboard.json']

const rules: Rule[] = RULES.flatMap((file) => rulesOf(read(file)))
const alerts = rules.flatMap(({ alert }) => alert ?? [])

const promtool = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    console.warn('no promtool: the unit tests of the alert rules are skipped')
    return false
  }
})()

it.skipIf(!promtool)(
  'evaluates every rule as its unit tests expect',
  () => {
    execFileSync('promtool', ['check', 'rules', ...RULES], { cwd: folder, stdio: 'pipe' })
    execFileSync('promtool', ['test', 'rules', ...RULE_TESTS], { cwd: folder, stdio: 'pipe' })
  },
  120_000,
)

it('has a unit test in which each alert fires', () => {
  const expected = JSON.stringify(
    RULE_TESTS.flatMap((file) => {
      const { tests } = parse(read(file)) as { tests: Record<string, unknown[]>[] }
      return tests.map((test) => test['promql_expr_test'])
    }),
  )
  const isExpected = (alert: string) => expected.includes(String.raw`alertname=\"${alert}\"`)
  expect(alerts.filter((alert) => !isExpected(alert))).toEqual([])
})

it('gives each alert a severity, a summary and a section of the documentation', () => {
  for (const { alert, labels, annotations } of rules) {
    if (alert === undefined) continue
    expect(labels['severity'], alert).toMatch(/^(page|ticket)$/)
    expect(annotations['summary'], alert).toBeTruthy()
    const [page, anchor] = annotations['runbook']!.split('#')
    const text = readFileSync(`${folder}../${page}`, 'utf8')
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    expect(anchors, alert).toContain(anchor)
  }
})

it('uses only recorded series that a rule records', () => {
  const records = rules.flatMap(({ record }) => record ?? [])
  const used = [...RULES, ...DASHBOARDS]
    .flatMap((file) => expressionsOf(read(file)))
    .flatMap((expression) => selectorsOf(expression))
    .map(({ metric }) => metric)
    .filter((metric) => metric.startsWith('svc:'))
  expect(used.filter((metric) => !records.includes(metric))).toEqual([])
  expect(records.filter((record) => !used.includes(record))).toEqual([])
})

it.each(DASHBOARDS)('lays out %s without overlaps, with one ID per panel', (file) => {
  type Panel = { id: number; gridPos: { x: number; y: number; w: number; h: number } }
  const { panels } = JSON.parse(read(file)) as { panels: Panel[] }
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  const cells = panels.map(({ gridPos: { x, y, w } }) => {
    expect(x + w).toBeLessThanOrEqual(24)
    return `${x} ${y}`
  })
  expect(new Set(cells).size).toBe(panels.length)
})

it('matches the tables in docs/operate.md, otherwise run npm run reference', () => {
  const text = readFileSync(ALERTS_PAGE, 'utf8')
  expect(text).toBe(alertsPage(text))
})
