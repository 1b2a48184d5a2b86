import type { RunChart } from '../../queue/trigger-glance.ts'
import type { Chart } from '../charts/chart.ts'
import type { DrawnChart } from '../charts/module.ts'
import { duration } from './written.ts'

/** Minimum interval between updates of the charts. */
const AGAIN_MS = 15_000

/** The charts module is loaded once the charts are in view. */
export class RunCharts {
  /** Resolves once the browser has reported if the charts are in view. */
  readonly known: Promise<void>
  #isInView = false
  #drawnAt = Number.NEGATIVE_INFINITY
  #drawn: Promise<DrawnChart[]> | undefined
  readonly #places: HTMLElement[]

  constructor(section: HTMLElement) {
    this.#places = [...section.querySelectorAll<HTMLElement>('.chart')]
    this.known = new Promise((resolve) => {
      new IntersectionObserver((entries) => {
        this.#isInView = entries.some(({ isIntersecting }) => isIntersecting)
        resolve()
      }).observe(section)
    })
  }

  /** True if the next poll should request chart data. */
  wants(): boolean {
    return this.#isInView && performance.now() - this.#drawnAt > AGAIN_MS
  }

  draw(chart: RunChart): void {
    this.#drawnAt = performance.now()
    const charts = [ofRuns(chart), ofDurations(chart)]
    const before = this.#drawn
    this.#drawn = before
      ? before.then((drawn) => {
          drawn.forEach((each, i) => each.update(charts[i]!))
          return drawn
        })
      : imported().then(({ drawChart }) =>
          charts.map((each, i) => drawChart(this.#places[i]!, each)),
        )
    // The page still shows the data as a table.
    this.#drawn.catch(() => {})
  }
}

/** A `string`, so that the compiler does not resolve the import. */
const CHARTS: string = '/scripts/charts.js'
const imported = () => import(CHARTS) as Promise<typeof import('../charts/module.ts')>

const timesOf = ({ buckets, bucketMs }: RunChart) => ({
  times: buckets.map(({ at }) => at),
  until: buckets.at(-1)!.at + bucketMs,
})

function ofRuns(chart: RunChart): Chart {
  const { buckets } = chart
  const sum = (name: 'ok' | 'failed') => buckets.reduce((all, bucket) => all + bucket[name], 0)
  return {
    ...timesOf(chart),
    label: `Ended runs: ${sum('ok')} succeeded, ${sum('failed')} failed. The table below has the numbers.`,
    series: [
      { name: 'succeeded', values: buckets.map(({ ok }) => ok), colour: 'good', as: 'bar' },
      { name: 'failed', values: buckets.map(({ failed }) => failed), colour: 'bad', as: 'bar' },
    ],
    written: (count) => (Number.isInteger(count) ? String(count) : ''),
  }
}

function ofDurations(chart: RunChart): Chart {
  const { buckets } = chart
  return {
    ...timesOf(chart),
    label: 'Run duration: median and 95th percentile. The table below has the numbers.',
    series: [
      { name: 'median', values: buckets.map(({ p50Ms }) => p50Ms), colour: 'act', as: 'line' },
      {
        name: '95th percentile',
        values: buckets.map(({ p95Ms }) => p95Ms),
        colour: 'soft',
        as: 'line',
      },
    ],
    // Without runs, the axis ranges from 0 to 1 ms, and its fractional ticks are not labelled.
    written: (ms) => (ms > 0 && ms < 1 ? '' : duration(ms)),
  }
}
