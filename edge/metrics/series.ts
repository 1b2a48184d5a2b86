export function seriesOf(
  name: string,
  labels: Readonly<Record<string, string | number>> = {},
): string {
  const pairs = Object.entries(labels).map(
    ([label, value]) => `${label}="${escaped(String(value))}"`,
  )
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`
}

export function seriesName(series: string): string {
  const brace = series.indexOf('{')
  return brace < 0 ? series : series.slice(0, brace)
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
