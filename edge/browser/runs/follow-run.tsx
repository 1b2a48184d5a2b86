import { fetchJson, poll } from './poll.ts'
import { enableCopyButtons } from '../components/copy-on-click.ts'
import { renderOver } from './render-over.ts'
import { RunDetails } from './run-details.tsx'
import type { RunView } from './run-view.ts'
import { STATUS_NAMES } from './run-status.tsx'

type RunPageState = { run: RunView; now: number }

const QUEUED_S = 2
const RUNNING_S = 20

/** @param onChange called with each state of the run */
export function followRun(
  element: HTMLElement,
  id: string,
  onChange: (run: RunView) => void,
): void {
  const announcements = document.getElementById('heard')!
  const cancel = document.getElementById('cancel')
  let waitS = 0
  const ask = async () => {
    const state = await fetchJson<RunPageState>(`/runs/${id}/state.json?wait=${waitS}`)
    renderOver(element, <RunDetails {...state} />)
    onChange(state.run)
    const { status, finished_at } = state.run
    if (cancel) cancel.hidden = status !== 'queued'
    waitS = status === 'running' ? RUNNING_S : QUEUED_S
    if (finished_at === null) return 250
    announcements.textContent = `Run ended: ${STATUS_NAMES[status]}`
    enableCopyButtons()
    return undefined
  }
  void poll(
    ask,
    () => false,
    (message) => (announcements.textContent = message),
  )
}
