import type { Answer } from './origins.ts'

/** Asks over and over, several at a time, until it is told to stop. @returns every answer */
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
  // Who stops it is told; until then nobody is there to hear.
  loops.catch(() => {})
  return {
    stop: async () => {
      enough.abort()
      await loops
      return answers
    },
  }
}
