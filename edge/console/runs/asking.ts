/** The delay doubles with each consecutive failure, up to this maximum. */
const PAUSE_MAX_MS = 60_000

/** Ends polling, because the user is signed out or the polled object no longer exists. */
export class Over extends Error {}

/**
 * @throws {Over} if the response is 401 or 404
 * @throws {Error} for any other failure
 */
export async function askJson<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, redirect: 'error' })
  if (answer.status === 401) throw new Over('You are signed out. Reload the page to sign in again.')
  if (answer.status === 404) throw new Over('This no longer exists.')
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  return answer.json() as Promise<Answer>
}

/**
 * Pauses while the tab is hidden or `paused` returns true.
 * @param ask returns the delay until the next request in milliseconds, or undefined to stop
 * @param failed called with a message after each failure; `isOver` is true if polling has ended
 */
export async function keepAsking(
  ask: () => Promise<number | undefined>,
  paused: () => boolean,
  failed: (message: string, isOver: boolean) => void,
): Promise<void> {
  let failures = 0
  for (;;) {
    await looking(paused)
    let pause: number | undefined
    try {
      pause = await ask()
      failures = 0
      if (pause === undefined) return
    } catch (failure) {
      if (failure instanceof Over) return failed(failure.message, true)
      pause = Math.min(PAUSE_MAX_MS, 1_000 * 2 ** ++failures)
      failed('Update failed. Retrying…', false)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/** Resolves once the page is visible and polling is not paused. `visibilitychange` and `svc-resume` signal changes. */
async function looking(paused: () => boolean): Promise<void> {
  while (document.hidden || paused())
    await new Promise<void>((resolve) => {
      const heard = () => {
        document.removeEventListener('visibilitychange', heard)
        document.removeEventListener('svc-resume', heard)
        resolve()
      }
      document.addEventListener('visibilitychange', heard)
      document.addEventListener('svc-resume', heard)
    })
}
