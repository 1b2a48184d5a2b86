import type { TriggerKind } from '../../../shared/wire/trigger.ts'
import type { RunSummary, TriggerSnapshot } from '../../queue/trigger-snapshot.ts'
import { fetchJson, poll } from './poll.ts'
import { LiveRunCharts } from './live-run-charts.ts'
import { renderOver } from './render-over.ts'
import { RunList } from './run-list.tsx'
import { TriggerStatsList, TriggerStatus } from './trigger-status.tsx'

/** Attributes of the trigger's element. `created` is in Unix milliseconds. */
export type ShownTrigger = { trigger: string; kind: TriggerKind; created: string }

type TriggerPageState = TriggerSnapshot & { now: number }

const POLL_INTERVAL_MS = 3_000

/**
 * While the pointer or the focus is in the list of runs, new runs are not shown until the person requests them or
 * leaves the list, so that rows do not move under the pointer.
 */
export function followTrigger({ trigger, kind, created }: ShownTrigger): void {
  const byId = (id: string) => document.getElementById(id)!
  const [list, live, announcements] = [byId('runs'), byId('live'), byId('heard')]
  const [pauseButton, showNewButton] = live.querySelectorAll('button')
  if (!pauseButton || !showNewButton) return
  const charts = new LiveRunCharts(byId('charts'), Number(created))
  const query = new URLSearchParams(location.search)
  // A search reads hundreds of runs, so its results are not updated.
  const isSearch = ['error', 'header', 'param'].some((name) => query.get(name))
  let isPaused = false
  let shownSuffixes = Array.from(list.querySelectorAll('a'), ({ pathname }) =>
    pathname.slice(`/runs/${trigger}`.length),
  )
  let currentLines: readonly RunSummary[] = []
  let deferred: TriggerPageState | undefined

  const isInUse = () => list.matches(':hover, :focus-within')

  function showState({ stats, now, ...glance }: TriggerPageState): void {
    renderOver(byId('state'), <TriggerStatus id={trigger} kind={kind} state={glance} now={now} />)
    renderOver(byId('numbers'), <TriggerStatsList stats={stats} kind={kind} />)
    byId('purge').hidden = stats.queued === 0
    byId('purge').querySelector('button')!.textContent = `Cancel queued runs (${stats.queued})`
  }

  function showRuns(glance: TriggerPageState, holds = isInUse()): void {
    const known = new Map([...currentLines, ...glance.lines].map((line) => [line.suffix, line]))
    const fresh = glance.lines.filter(({ suffix }) => !shownSuffixes.includes(suffix)).length
    const isDeferred = holds && fresh > 0
    const lines = isDeferred
      ? shownSuffixes.flatMap((suffix) => known.get(suffix) ?? [])
      : glance.lines
    deferred = isDeferred ? glance : undefined
    showNewButton!.hidden = !isDeferred
    showNewButton!.textContent = fresh === 1 ? 'Show 1 new run' : `Show ${fresh} new runs`
    if (fresh > 0 && !isDeferred)
      announcements.textContent = fresh === 1 ? '1 new run' : `${fresh} new runs`
    currentLines = lines
    shownSuffixes = lines.map(({ suffix }) => suffix)
    byId('no-runs').hidden = lines.length > 0
    renderOver(list, <RunList triggerId={trigger} lines={lines} now={glance.now} />)
  }

  const ask = async () => {
    await charts.ready
    const wanted = new URLSearchParams()
    for (const name of ['status', 'cursor', 'range']) {
      const value = query.get(name)
      if (value !== null) wanted.set(name, value)
    }
    if (!charts.needsData()) wanted.delete('range')
    else if (!wanted.has('range')) wanted.set('range', '24h')
    const glance = await fetchJson<TriggerPageState>(`/triggers/${trigger}/runs.json?${wanted}`)
    // The person may have pressed Pause while the request was in flight.
    if (isPaused) return POLL_INTERVAL_MS
    showState(glance)
    if (!isSearch) showRuns(glance)
    if (glance.chart) charts.draw(glance.chart)
    return POLL_INTERVAL_MS
  }

  pauseButton.hidden = false
  pauseButton.addEventListener('click', () => {
    isPaused = !isPaused
    pauseButton.textContent = isPaused ? 'Resume updates' : 'Pause updates'
    if (!isPaused) document.dispatchEvent(new Event('svc-resume'))
  })
  showNewButton.addEventListener('click', () => {
    if (!deferred) return
    showRuns(deferred, false)
    list.querySelector('a')?.focus()
  })
  void poll(
    ask,
    () => isPaused,
    (message, isOver) => {
      announcements.textContent = message
      if (isOver) pauseButton.hidden = true
    },
  )
}
