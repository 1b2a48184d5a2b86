import { discardBody } from '../../shared/network/bounded-text.ts'
import { AttemptFailedError, UndeliverableError } from './attempt-failed-error.ts'
import { signatureHeaders } from './webhook-signature.ts'

/** Recommended by Standard Webhooks: 15 to 30 s. */
const TIMEOUT_MS = 15_000

type WebhookDeps = {
  fetch: typeof fetch
  /** Returns the current time in Unix milliseconds. */
  now: () => number
}

type Webhook = { url: string; secrets: readonly string[]; messageId: string; body: string }

/**
 * Posts a signed event once. Any 2xx is a success.
 * @returns the HTTP status
 * @throws {AttemptFailedError} whose message does not contain the URL, because URLs of some receivers are secrets
 */
export async function sendWebhook(
  { url, secrets, messageId, body }: Webhook,
  { fetch, now }: WebhookDeps,
): Promise<number> {
  const timestamp = Math.floor(now() / 1000)
  const signed = await signatureHeaders({ id: messageId, timestamp, body }, secrets)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  let response: Response
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'svc-alerts', ...signed },
      body,
      // A redirect could lead to a host that the rules for URLs exclude.
      redirect: 'manual',
      signal,
    })
  } catch {
    throw new AttemptFailedError(
      signal.aborted
        ? `No response within ${TIMEOUT_MS / 1000} s.`
        : 'The connection to the receiver failed.',
    )
  }
  const { ok, status } = response
  await discardBody(response.body)
  if (ok) return status
  // Standard Webhooks: 410 asks the sender to stop.
  if (status === 410)
    throw new UndeliverableError(problemOf(status), { statusCode: status, isGone: true })
  throw new AttemptFailedError(problemOf(status), { statusCode: status })
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400)
    return `The receiver responded with a redirect (${status}), which is not followed.`
  return `The receiver responded with ${status}.`
}
