import type { Answer } from './origins.ts'

/** Sends requests continuously, `atOnce` at a time, until stopped. @returns all responses */
export function keepAsking(
  atOnce: number,
  ask: () => Promise<Answer>,
): { stop: () => Promise<Answer[]> } {
  const answers: Answer[] = []
  const enough = new AbortController()
  const loop = async () => {
    while (!enough.signal.aborted) answers.push(await ask())
  }
  const loops = Promise.all(Array.from({ length: atOnce }, loop))
  // `stop` reports the rejection. Until then it must not count as unhandled.
  loops.catch(() => {})
  return {
    stop: async () => {
      enough.abort()
      await loops
      return answers
    },
  }
}
