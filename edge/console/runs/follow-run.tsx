import { askJson, keepAsking } from './asking.ts'
import { copyOnPress } from './copy-on-press.ts'
import { drawn } from './drawn.tsx'
import { RunDetails } from './run-details.tsx'
import type { ShownRun } from './shown-run.ts'
import { STATUS_NAMES } from './states.tsx'

type State = { run: ShownRun; now: number }

// Timeouts of long polling for a queued run and for a running run.
const QUEUED_S = 2
const RUNNING_S = 20

/** Updates the page until the run has finished. */
export function followRun(element: HTMLElement, id: string): void {
  const heard = document.getElementById('heard')!
  const cancel = document.getElementById('cancel')
  let put: ((state: State) => void) | undefined
  let waitS = 0
  const ask = async () => {
    const state = await askJson<State>(`/runs/${id}/state.json?wait=${waitS}`)
    if (put) put(state)
    else put = drawn(element, state, (shown) => <RunDetails {...shown} />)
    const { status, finished_at } = state.run
    if (cancel) cancel.hidden = status !== 'queued'
    waitS = status === 'running' ? RUNNING_S : QUEUED_S
    if (finished_at === null) return 250
    heard.textContent = `Run ended: ${STATUS_NAMES[status]}`
    // The new buttons exist only after the next frame.
    requestAnimationFrame(copyOnPress)
    return undefined
  }
  void keepAsking(
    ask,
    () => false,
    (message) => (heard.textContent = message),
  )
}
