import type { RunChart } from '../../queue/trigger-snapshot.ts'
import type { Chart } from '../charts/chart.ts'
import type { ChartHandle } from '../charts/module.ts'
import { formatDuration } from '../format/times.ts'

const UPDATE_INTERVAL_MS = 15_000

/** Charts of a trigger's runs. The charts module is loaded only once the charts are in view. */
export class LiveRunCharts {
  /** Resolves once the browser has reported whether the charts are in view. */
  readonly ready: Promise<void>
  #isInView = false
  #drawnAt = Number.NEGATIVE_INFINITY
  #handles: Promise<ChartHandle[]> | undefined
  readonly #elements: HTMLElement[]

  readonly #since: number

  /** @param since time at which the trigger was created. The charts show no earlier time. */
  constructor(section: HTMLElement, since: number) {
    this.#since = since
    this.#elements = [...section.querySelectorAll<HTMLElement>('.chart')]
    this.ready = new Promise((resolve) => {
      new IntersectionObserver((entries) => {
        this.#isInView = entries.some(({ isIntersecting }) => isIntersecting)
        resolve()
      }).observe(section)
    })
  }

  needsData(): boolean {
    return this.#isInView && performance.now() - this.#drawnAt > UPDATE_INTERVAL_MS
  }

  draw(whole: RunChart): void {
    this.#drawnAt = performance.now()
    const chart = chartSince(whole, this.#since)
    const charts = [runCountChart(chart), durationChart(chart)]
    const before = this.#handles
    this.#handles = before
      ? before.then((drawn) => {
          drawn.forEach((each, i) => each.update(charts[i]!))
          return drawn
        })
      : import('/scripts/charts.js').then(({ drawChart }) =>
          charts.map((each, i) => drawChart(this.#elements[i]!, each)),
        )
    // Ignores errors, because the page still shows the data as a table.
    this.#handles.catch(() => {})
  }
}

/** Fewest buckets in a chart, so that the bars of a new trigger are not too wide. */
const BUCKETS_MIN = 6

/** Omits the time before the trigger was created, so that the first runs fill the chart. */
export function chartSince(chart: RunChart, since: number): RunChart {
  const { buckets, bucketMs } = chart
  const first = buckets.findIndex(({ at }) => at + bucketMs > since)
  const omitted = Math.min(first === -1 ? buckets.length : first, buckets.length - BUCKETS_MIN)
  return { ...chart, buckets: buckets.slice(Math.max(0, omitted)) }
}

const timesOf = ({ buckets, bucketMs }: RunChart) => ({
  times: buckets.map(({ at }) => at),
  until: buckets.at(-1)!.at + bucketMs,
})

function runCountChart(chart: RunChart): Chart {
  const { buckets } = chart
  const sum = (name: 'ok' | 'failed') => buckets.reduce((all, bucket) => all + bucket[name], 0)
  return {
    ...timesOf(chart),
    label: `Ended runs: ${sum('ok')} succeeded, ${sum('failed')} failed. The table below has the numbers.`,
    series: [
      { name: 'succeeded', values: buckets.map(({ ok }) => ok), color: 'good', as: 'bar' },
      { name: 'failed', values: buckets.map(({ failed }) => failed), color: 'bad', as: 'bar' },
    ],
    format: (count) => (Number.isInteger(count) ? String(count) : ''),
  }
}

function durationChart(chart: RunChart): Chart {
  const { buckets } = chart
  return {
    ...timesOf(chart),
    label: 'Run duration: median and p95. The table below has the numbers.',
    series: [
      { name: 'median', values: buckets.map(({ p50Ms }) => p50Ms), color: 'act', as: 'line' },
      {
        name: 'p95',
        values: buckets.map(({ p95Ms }) => p95Ms),
        color: 'soft',
        as: 'line',
      },
    ],
    // Without runs, the axis ranges from 0 to 1 ms. The fractional ticks of this axis are not labelled.
    format: (ms) => (ms > 0 && ms < 1 ? '' : formatDuration(ms)),
  }
}
