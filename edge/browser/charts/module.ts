/**
 * Draws charts. Pages import this module from `/scripts/charts.js` when a chart scrolls into view. The content security
 * policy needs no change: uPlot draws on a canvas and positions its elements through the CSSOM, and its style sheet is
 * adopted. Each page also shows the data as a table, for people who cannot see the canvas.
 */
import uPlot from 'uplot'
import css from 'uplot/dist/uPlot.min.css'
import { type Chart, type ChartColor, chartData, maxValue } from './chart.ts'
import { formatAxisTime, formatChartTime } from '../format/times.ts'

export type { Chart, Series } from './chart.ts'

export type ChartHandle = {
  update(chart: Chart): void
  remove(): void
}

const uplotStyleSheet = new CSSStyleSheet()
uplotStyleSheet.replaceSync(css)

/** Tick distances 1, 2, 5, 10, and so on. They are integers, because all values are integers. */
const INTEGER_STEPS = Array.from({ length: 10 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat()

/**
 * Draws a chart. The element must have a height. The chart is redrawn when the element's width or the colour scheme
 * changes.
 */
export function drawChart(element: HTMLElement, chart: Chart): ChartHandle {
  if (!document.adoptedStyleSheets.includes(uplotStyleSheet))
    document.adoptedStyleSheets.push(uplotStyleSheet)
  const dark = matchMedia('(prefers-color-scheme: dark)')
  let current = chart
  let plot: uPlot | undefined
  const redraw = () => {
    plot?.destroy()
    element.setAttribute('role', 'img')
    element.setAttribute('aria-label', current.label)
    plot = new uPlot(
      plotOptions(element, current),
      chartData(current) as uPlot.AlignedData,
      element,
    )
  }
  const resized = new ResizeObserver(() => plot?.setSize(sizeOf(element)))
  redraw()
  resized.observe(element)
  dark.addEventListener('change', redraw)
  return {
    update(next) {
      current = next
      redraw()
    },
    remove() {
      resized.disconnect()
      dark.removeEventListener('change', redraw)
      plot?.destroy()
    },
  }
}

const sizeOf = (element: HTMLElement) => ({
  width: element.clientWidth,
  height: element.clientHeight,
})

function plotOptions(element: HTMLElement, chart: Chart): uPlot.Options {
  const resolveColor = (name: ChartColor | 'line') => colorOf(element, name)
  const { series, times, until, format: formatValue } = chart
  const axis = {
    stroke: resolveColor('soft'),
    font: '12px system-ui, sans-serif',
    ticks: { show: false },
  }
  const drawn = chartData(chart).slice(1)
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    padding: [8, 24, 0, 0],
    scales: {
      x: { time: true, range: () => [times[0]! / 1000, until / 1000] },
      y: { range: () => [0, maxValue(drawn) * 1.1] },
    },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        values: (_, seconds) => seconds.map((at) => formatAxisTime(at * 1000)),
      },
      {
        ...axis,
        grid: { stroke: resolveColor('line'), width: 1 },
        size: 56,
        incrs: INTEGER_STEPS,
        values: (_, values) => values.map((value) => (value === null ? '' : formatValue(value))),
      },
    ],
    series: [
      {},
      ...series.toReversed().map(({ name, color: colorName, as }): uPlot.Series => {
        if (as === 'line')
          return {
            label: name,
            stroke: resolveColor(colorName),
            width: 2,
            points: { show: true, size: 5, fill: resolveColor(colorName) },
          }
        const paths = uPlot.paths.bars!({ size: [0.8, 48], align: 1 })
        const fill = resolveColor(colorName)
        return { label: name, fill, width: 0, paths, points: { show: false } }
      }),
    ],
    hooks: { setCursor: [({ cursor }) => showReadOut(element, chart, cursor.idx)] },
  }
}

/** Uses a temporary element, because the canvas cannot use CSS variables, which depend on the colour scheme. */
function colorOf(element: HTMLElement, name: ChartColor | 'line'): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

/** Displays the values at the pointer's position in the element whose ID is in the attribute `data-read-out`. */
function showReadOut(
  element: HTMLElement,
  { times, series, format: formatValue }: Chart,
  at?: number | null,
) {
  const place = document.getElementById(element.dataset.readOut ?? '')
  if (!place) return
  const time = at === null || at === undefined ? undefined : times[at]
  const texts = series.map(({ name, values }) => {
    const value = values[at ?? 0]
    return `${name} ${value === null || value === undefined ? 'none' : formatValue(value)}`
  })
  place.textContent = time === undefined ? '' : `${formatChartTime(time)} UTC: ${texts.join(', ')}`
}
