import type { TriggerKind } from '../../../shared/wire/trigger.ts'
import type { RunLine, TriggerGlance } from '../../queue/trigger-glance.ts'
import { askJson, keepAsking } from './asking.ts'
import { RunCharts } from './run-charts.ts'
import { drawn } from './drawn.tsx'
import { RunList } from './run-list.tsx'
import { Numbers, TriggerState } from './trigger-state.tsx'

type Glance = TriggerGlance & { now: number }

const LOOK_MS = 3_000

/**
 * While the pointer or the focus is in the list of runs, new runs are not shown until the person requests them or
 * leaves the list, so that rows do not move under the pointer.
 */
export function followTrigger({ trigger, kind }: { trigger: string; kind: string }): void {
  const place = (id: string) => document.getElementById(id)!
  const [list, live, heard] = [place('runs'), place('live'), place('heard')]
  const [pause, held] = live.querySelectorAll('button')
  if (!pause || !held) return
  const charts = new RunCharts(place('charts'))
  const query = new URLSearchParams(location.search)
  let isPaused = false
  /** URL suffixes of the listed runs; initially those in the Worker's markup. */
  let shown = Array.from(list.querySelectorAll('a'), ({ pathname }) =>
    pathname.slice(`/runs/${trigger}`.length),
  )
  let drawnLines: readonly RunLine[] = []
  let arrived: Glance | undefined
  let put: ((glance: Glance) => void) | undefined

  const isHeld = () => list.matches(':hover, :focus-within')

  function show(glance: Glance, holds = isHeld()): void {
    const known = new Map([...drawnLines, ...glance.lines].map((line) => [line.suffix, line]))
    const fresh = glance.lines.filter(({ suffix }) => !shown.includes(suffix)).length
    const waits = holds && fresh > 0
    const lines = waits ? shown.flatMap((suffix) => known.get(suffix) ?? []) : glance.lines
    arrived = waits ? glance : undefined
    held!.hidden = !waits
    held!.textContent = fresh === 1 ? 'Show 1 new run' : `Show ${fresh} new runs`
    if (fresh > 0 && !waits) heard.textContent = fresh === 1 ? '1 new run' : `${fresh} new runs`
    drawnLines = lines
    shown = lines.map(({ suffix }) => suffix)
    place('no-runs').hidden = lines.length > 0
    const seen = { ...glance, lines }
    if (put) put(seen)
    else begin(seen)
  }

  function begin(glance: Glance): void {
    const [state, numbers] = [place('state'), place('numbers')]
    const puts = [
      drawn(state, glance, (value) => <TriggerState state={value} now={value.now} />),
      drawn(numbers, glance, ({ stats }) => <Numbers stats={stats} kind={kind as TriggerKind} />),
      drawn(list, glance, ({ lines, now }) => (
        <RunList triggerId={trigger} lines={lines} now={now} />
      )),
    ]
    put = (value) => {
      for (const each of puts) each(value)
    }
  }

  const ask = async () => {
    await charts.known
    const wanted = new URLSearchParams()
    for (const name of ['status', 'cursor', 'range']) {
      const value = query.get(name)
      if (value !== null) wanted.set(name, value)
    }
    if (!charts.wants()) wanted.delete('range')
    else if (!wanted.has('range')) wanted.set('range', '24h')
    const glance = await askJson<Glance>(`/triggers/${trigger}/runs.json?${wanted}`)
    // The person may have pressed Pause during the request.
    if (isPaused) return LOOK_MS
    show(glance)
    if (glance.chart) charts.draw(glance.chart)
    return LOOK_MS
  }

  pause.hidden = false
  pause.addEventListener('click', () => {
    isPaused = !isPaused
    pause.textContent = isPaused ? 'Resume updates' : 'Pause updates'
    if (!isPaused) document.dispatchEvent(new Event('svc-resume'))
  })
  held.addEventListener('click', () => {
    if (!arrived) return
    show(arrived, false)
    list.querySelector('a')?.focus()
  })
  void keepAsking(
    ask,
    () => isPaused,
    (message, isOver) => {
      heard.textContent = message
      if (isOver) pause.hidden = true
    },
  )
}
