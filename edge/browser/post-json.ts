/** Request timeout. A working server answers within a second. */
const ANSWER_WITHIN_MS = 30_000

export class UserFacingError extends Error {}

/** @throws {UserFacingError} if the request is rejected, with the server's message, or if there is no response */
export async function postJson<Answer>(path: string, body: object): Promise<Answer> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  }
  const response = await fetch(path, request).catch(() => {
    throw new UserFacingError('The service did not answer. Try again.')
  })
  const answer: unknown = await response.json().catch(() => ({}))
  if (response.ok) return answer as Answer
  const { message, fix } = answer as { message?: string; fix?: string }
  throw new UserFacingError(
    message ? `${message} ${fix ?? ''}`.trim() : 'The service failed. Try again.',
  )
}
