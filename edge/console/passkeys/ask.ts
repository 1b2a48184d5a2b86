/** A working server answers within a second. */
const ANSWER_WITHIN_MS = 30_000

/** The message can be shown to the user. */
export class Told extends Error {}

/** @throws {Told} with the server's message if the request is rejected; with another message if there is no response */
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
