/** Dependencies of the client on its runtime, such as `fetch` and the clock. */
export type Surroundings = {
  fetch: typeof fetch
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Resolves after a delay. If the signal aborts, rejects with the signal's reason. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Returns the given dependencies. The runtime's own implementations are the defaults. */
export function surroundingsOf(options: Partial<Surroundings>): Surroundings {
  const { fetch = globalThis.fetch, now = Date.now, random = randomBytes, sleep = slept } = options
  // `fetch` is wrapped, because browsers and workerd reject it when it is called as a method of another object.
  return { fetch: (input, init) => fetch(input, init), now, random, sleep }
}

function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes))
}

/** Sleeps with the runtime's timer. */
export function slept(milliseconds: number, signal?: AbortSignal): Promise<void> {
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
