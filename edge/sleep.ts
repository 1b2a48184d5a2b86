export type Sleep = (ms: number, ended: AbortSignal) => Promise<void>

/** Resolves after `ms` milliseconds, or as soon as `ended` is aborted. Aborting also clears the timer. */
export function sleep(ms: number, ended?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    ended?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Does not cancel `work`. */
export async function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  wait: Sleep = sleep,
): Promise<Result | undefined> {
  const ended = new AbortController()
  try {
    return await Promise.race([work, wait(ms, ended.signal).then(() => undefined)])
  } finally {
    ended.abort()
  }
}
