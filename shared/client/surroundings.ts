import type { CommonOptions } from './options.ts'

/** What the client takes from around it. */
export type Surroundings = {
  fetch: typeof fetch
  /** Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** Rejects with the signal's reason where that comes first. */
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
}

/** What was given, and the runtime's own for the rest. */
export function surroundingsOf(options: CommonOptions): Surroundings {
  const { fetch = globalThis.fetch, now = Date.now, random = randomBytes, sleep = slept } = options
  // Called on its own: browsers and workerd refuse their fetch as a method of anything else.
  return { fetch: (input, init) => fetch(input, init), now, random, sleep }
}

function randomBytes(bytes: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(bytes))
}

/** The runtime's own timer. */
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
