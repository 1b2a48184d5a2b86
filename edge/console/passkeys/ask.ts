/** A server that is there answers in a second: after this the person may try again. */
const ANSWER_WITHIN_MS = 30_000

/** A failure whose text is for the person at the browser. */
export class Told extends Error {}

/**
 * Sends JSON to an operation of this site, and gives its answer.
 * @throws {Told} with the server's own words where it refuses, or where it does not answer
 */
export async function ask<Answer>(path: string, body: object): Promise<Answer> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }
  const response = await fetch(path, request).catch(() => {
    throw new Told('The service did not answer. Try again.')
  })
  const answer: unknown = await response.json().catch(() => ({}))
  if (response.ok) return answer as Answer
  const { message, fix } = answer as { message?: string; fix?: string }
  throw new Told(message ? `${message} ${fix ?? ''}`.trim() : 'The service failed. Try again.')
}
