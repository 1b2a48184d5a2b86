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
 * Keeps a trigger's page up to date. What arrives while somebody points at the list, or has the focus in it, waits until
 * they ask for it or leave: nothing is put under a finger.
 */
export function followTrigger({ trigger, kind }: { trigger: string; kind: string }): void {
  const place = (id: string) => document.getElementById(id)!
  const [list, live, heard] = [place('runs'), place('live'), place('heard')]
  const [pause, held] = live.querySelectorAll('button')
  if (!pause || !held) return
  const charts = new RunCharts(place('charts'))
  const query = new URLSearchParams(location.search)
  let isPaused = false
  let shown: RunLine[] | undefined
  let arrived: Glance | undefined
  let put: ((glance: Glance) => void) | undefined

  const isHeld = () => list.matches(':hover, :focus-within')

  function show(glance: Glance): void {
    const known = new Map(glance.lines.map((line) => [line.suffix, line]))
    const isNew = ({ suffix }: RunLine) => !shown?.some((line) => line.suffix === suffix)
    const fresh = shown === undefined ? [] : glance.lines.filter(isNew)
    const holds = fresh.length > 0 && isHeld()
    const lines = holds ? shown!.map((line) => known.get(line.suffix) ?? line) : glance.lines
    arrived = holds ? glance : undefined
    held!.hidden = !holds
    held!.textContent = fresh.length === 1 ? 'Show 1 new run' : `Show ${fresh.length} new runs`
    if (fresh.length > 0 && !holds)
      heard.textContent = fresh.length === 1 ? '1 new run' : `${fresh.length} new runs`
    shown = lines
    place('no-runs').hidden = lines.length > 0
    put!({ ...glance, lines })
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
    // A press on Pause may have come meanwhile.
    if (isPaused) return LOOK_MS
    if (!put) begin(glance)
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
    const glance = arrived
    shown = undefined
    show(glance)
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
