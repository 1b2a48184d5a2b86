import { SpecError, SpecViolation } from './http.ts'

/** Polls until `look` returns a value. @param seconds deadline */
export async function until<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > end) throw new SpecViolation(`${what}: not within ${seconds} s`)
    await pause(200)
  }
}

/** Grants are eventually consistent: retries a call until it is permitted. */
export async function patiently<T>(call: () => Promise<T>, seconds = 15): Promise<T> {
  const end = Date.now() + seconds * 1000
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const early = error instanceof SpecError && (error.status === 401 || error.status === 403)
      if (!early || Date.now() > end) throw error
      await pause(200)
    }
  }
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
