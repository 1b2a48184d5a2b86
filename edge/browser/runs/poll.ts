const BACKOFF_MAX_MS = 60_000

/** Thrown to end polling because the user is signed out or the polled object no longer exists. */
class PollingEndedError extends Error {}

/** @throws {PollingEndedError} if the response is 401 or 404 */
export async function fetchJson<Answer>(path: string): Promise<Answer> {
  const response = await fetch(path, { headers: { accept: 'application/json' }, redirect: 'error' })
  if (response.status === 401)
    throw new PollingEndedError('You are signed out. Reload the page to sign in again.')
  if (response.status === 404) throw new PollingEndedError('This no longer exists.')
  if (!response.ok) throw new Error(`answered ${response.status}`)
  return response.json() as Promise<Answer>
}

/**
 * Calls `ask` repeatedly, except while the tab is hidden or `paused` returns true.
 * @param ask sends a request, and returns the delay until the next one in milliseconds, or undefined to stop
 * @param failed called with a message after each failure; `isOver` is true if polling has ended
 */
export async function poll(
  ask: () => Promise<number | undefined>,
  paused: () => boolean,
  failed: (message: string, isOver: boolean) => void,
): Promise<void> {
  let failures = 0
  for (;;) {
    await untilVisible(paused)
    let pause: number | undefined
    try {
      pause = await ask()
      failures = 0
      if (pause === undefined) return
    } catch (failure) {
      if (failure instanceof PollingEndedError) return failed(failure.message, true)
      pause = Math.min(BACKOFF_MAX_MS, 1_000 * 2 ** ++failures)
      failed('Update failed. Retrying…', false)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/**
 * Waits until the tab is visible and polling is not paused. Checks both again at each `visibilitychange` and
 * `svc-resume` event.
 */
async function untilVisible(paused: () => boolean): Promise<void> {
  while (document.hidden || paused())
    await new Promise<void>((resolve) => {
      const onEvent = () => {
        document.removeEventListener('visibilitychange', onEvent)
        document.removeEventListener('svc-resume', onEvent)
        resolve()
      }
      document.addEventListener('visibilitychange', onEvent)
      document.addEventListener('svc-resume', onEvent)
    })
}
