/** Polls this site while the page is visible. */

/** Maximum backoff. The delay doubles with each failure in a row. */
const PAUSE_MAX_MS = 60_000

/** Ends the polling: the user is signed out, or the object no longer exists. */
export class Over extends Error {}

/**
 * @throws {Over} for 401 and 404
 * @throws {Error} for any other failure
 */
export async function askJson<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, redirect: 'error' })
  if (answer.status === 401) throw new Over('You are signed out: reload the page to sign in again.')
  if (answer.status === 404) throw new Over('It is not there any more.')
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  return answer.json() as Promise<Answer>
}

/**
 * Polls repeatedly, except while the tab is hidden or `paused` returns true.
 * @param ask returns the delay until the next poll in milliseconds, or undefined to stop
 * @param failed called with a message after each failure; `isOver` is true if the polling has ended
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
      failed('The last look failed; it is tried again.', false)
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

/**
 * Resolves once the page is visible and not paused. Both changes are signalled by events of the document:
 * `visibilitychange` and `svc-resume`.
 */
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
