/** Reads the PromQL expressions of `docs/monitoring/`. They are written on one line each, without comments. */
import { parse } from 'yaml'

type Matcher = { label: string; operator: string; value: string }
type Selector = { metric: string; matchers: Matcher[] }

const KEYWORDS = ['and', 'or', 'unless', 'on', 'by', 'bool', 'without', 'ignoring']

/** Labels that Prometheus adds to each series that it scrapes. */
const TARGET_LABELS = ['job', 'instance']

/** Values of these labels appear only after a failure. */
const LABELS_OF_FAILURES = ['status', 'error', 'outcome', 'level']

/** @param file YAML or JSON with fields `expr` at any depth */
export function expressionsOf(file: string): string[] {
  const found: string[] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    for (const [name, value] of Object.entries(node))
      if (name === 'expr' && typeof value === 'string') found.push(value)
      else visit(value)
  }
  visit(parse(file))
  return found
}

export function selectorsOf(expression: string): Selector[] {
  const withoutGroupings = expression.replaceAll(/\b(?:by|on) \([^)]*\)/g, '')
  const names =
    /(?<![\w:."$])([a-z][a-z0-9_:]*)(?:\{((?:\w+(?:=~|!~|!=|=)"[^"]*",?)*)\})?(?![\w:]*[\w:(])/g
  return [...withoutGroupings.replaceAll(/\[[^\]]*\]/g, '').matchAll(names)]
    .filter(([, name]) => !KEYWORDS.includes(name!))
    .map(([, metric, matchers = '']) => ({
      metric: metric!,
      matchers: [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label, operator, value]) => ({ label: label!, operator: operator!, value: value! }),
      ),
    }))
}

export function groupingLabelsOf(expression: string): string[] {
  return [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels]) =>
    labels!.split(', '),
  )
}

/**
 * Compares the expressions with a response of `/metrics`.
 *
 * @param isServed selects the metrics of this service
 * @returns a sentence for each unknown metric, label or value
 */
export function unknownNames(
  expressions: readonly string[],
  response: string,
  isServed: (metric: string) => boolean,
): string[] {
  const metrics = seriesOf(response)
  return expressions.flatMap((expression) => {
    const selectors = selectorsOf(expression).filter(({ metric }) => isServed(metric))
    const faults = selectors.flatMap(({ metric, matchers }) => {
      const series = metrics.get(metric)
      if (!series) return [`no metric ${metric}`]
      return matchers.flatMap((matcher) => faultsOf(metric, series, matcher))
    })
    const labels = new Set(selectors.flatMap(({ metric }) => labelsOf(metrics.get(metric))))
    const unknown = selectors.length
      ? groupingLabelsOf(expression).filter(
          (label) => !labels.has(label) && ![...TARGET_LABELS, 'slo'].includes(label),
        )
      : []
    return [...faults, ...unknown.map((label) => `no label ${label}`)].map(
      (fault) => `${fault}: ${expression}`,
    )
  })
}

type Labels = Record<string, string>

/** Keyed by name. The buckets, sum and count of a histogram are metrics of their own. */
function seriesOf(response: string): Map<string, Labels[]> {
  const metrics = new Map<string, Labels[]>()
  for (const [, name] of response.matchAll(/^# TYPE (\S+) /gm)) metrics.set(name!, [])
  for (const [, name, labels = ''] of response.matchAll(/^([a-z0-9_]+)(?:\{(.*)\})? \S+$/gm)) {
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value])
    metrics.set(name!, [...(metrics.get(name!) ?? []), Object.fromEntries(pairs)])
  }
  return metrics
}

const labelsOf = (series: readonly Labels[] = []) => series.flatMap((each) => Object.keys(each))

function faultsOf(metric: string, series: readonly Labels[], { label, operator, value }: Matcher) {
  if (TARGET_LABELS.includes(label)) return []
  const values = series.flatMap((each) => each[label] ?? [])
  if (values.length === 0) return [`no label ${label} of ${metric}`]
  if (LABELS_OF_FAILURES.includes(label)) return []
  const wanted = operator.endsWith('~') ? value.split('|') : [value]
  return wanted
    .filter((each) => !values.includes(each))
    .map((each) => `no ${label}="${each}" of ${metric}`)
}
