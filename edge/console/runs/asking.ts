/** Questions of a page to its own site, over and over, while somebody looks. */

/** After a failure: twice as long each time, up to this. */
const PAUSE_MAX_MS = 60_000

/** The page has nothing to ask any more: its person is signed out, or what it shows is gone. */
export class Over extends Error {}

/** @throws {Over} for 401 and 404; {Error} where there is no answer */
export async function askJson<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(path, { headers: { accept: 'application/json' }, redirect: 'error' })
  if (answer.status === 401) throw new Over('You are signed out: reload the page to sign in again.')
  if (answer.status === 404) throw new Over('It is not there any more.')
  if (!answer.ok) throw new Error(`answered ${answer.status}`)
  return answer.json() as Promise<Answer>
}

/**
 * Asks, waits, and asks again; not while the tab is hidden or `paused` says so.
 * @param ask gives the milliseconds until the next time, or nothing when that was the last
 * @param failed is told why there is no answer, with `true` when nothing is asked any more
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

/** Resolves when somebody looks: each change of that is heard as `visibilitychange`, or as `resume` of the document. */
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
