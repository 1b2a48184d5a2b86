export type RuntimeEnvironment = {
  fetch: typeof fetch
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Waits for the given time. Rejects with the signal's reason if the signal aborts. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

export function runtimeEnvironment(options: Partial<RuntimeEnvironment>): RuntimeEnvironment {
  const {
    fetch = globalThis.fetch,
    now = Date.now,
    random = (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    sleep = cancelableSleep,
  } = options
  // Wraps `fetch`, because browsers and workerd reject `fetch` when it is called as a method of another object.
  return { fetch: (input, init) => fetch(input, init), now, random, sleep }
}

export function cancelableSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
