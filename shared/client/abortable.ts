export function anySignal(one?: AbortSignal, other?: AbortSignal): AbortSignal | undefined {
  return one && other ? AbortSignal.any([one, other]) : (one ?? other)
}

/**
 * Waits for a promise, but rejects with the signal's reason if the signal aborts first. Used for wallets and nodes,
 * which do not accept a signal.
 */
export async function abortable<Answer>(
  promise: Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  if (!signal) return promise
  let stop = () => {}
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
