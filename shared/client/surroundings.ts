import type { CommonOptions } from './options.ts'

/** The client's dependencies on its runtime. */
export type Surroundings = {
  fetch: typeof fetch
  /** Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Rejects with the signal's reason if aborted. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** Returns the given dependencies, with the runtime's own as defaults. */
export function surroundingsOf(options: CommonOptions): Surroundings {
  const { fetch = globalThis.fetch, now = Date.now, random = randomBytes, sleep = slept } = options
  // Wrapped, because browsers and workerd reject fetch when it is called as a method of another object.
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
