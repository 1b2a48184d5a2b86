/** Sends mail through an HTTP e-mail API (docs/decisions/0048). */
import { readBoundedText, discardBody } from '../../shared/network/bounded-text.ts'
import { MAIL_APIS, type MailApi } from './mail-apis.ts'
import { type MailFailure, type Mailer, MailNotSentError } from './mailer.ts'
import type { MailerSettings } from './mailer-settings.ts'
import { newSecret } from './secret.ts'

type MailerDeps = {
  fetch: typeof fetch
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  wait: (ms: number) => Promise<void>
}

/**
 * Timeouts per attempt and in total. They are short, because the user is waiting at a form, and because Workers limit
 * work after the response to 30 s (`waitUntil`).
 */
export const SEND_LIMITS = { attemptMs: 10_000, totalMs: 20_000 }

/** Delays before the second and the third attempt. */
const RETRY_DELAYS_MS = [500, 1_500]

/** Maximum number of bytes to read from an error response, of which only the error code is needed. */
const RESPONSE_MAX_BYTES = 4 * 1024

/** Resend rejects requests without a user agent. */
const USER_AGENT = 'svc-edge'

/**
 * Pattern of error codes that may be logged: numbers, and lower-case words such as `from.email`. API keys and sign-in
 * secrets do not match.
 */
const LOGGABLE_CODE = /^(\d{1,6}|([a-z_.]|\[\d{1,3}\]){1,48})$/

/**
 * Retries transient failures: connection errors, timeouts, 409 (Resend: the same request is still in progress), 429 and
 * 5xx. If the API does not support idempotency keys and a response is lost, the mail is sent twice, with the same link.
 */
export function apiMailer(
  { api: name, from, token, url }: MailerSettings,
  deps: MailerDeps,
  limits = SEND_LIMITS,
): Mailer {
  const api = MAIL_APIS[name]
  const { now, random, wait } = deps
  return {
    async send(mail) {
      const deadline = now() + limits.totalMs
      const request = {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': USER_AGENT,
          ...api.credentials(token),
          ...(api.idempotencyHeader && { [api.idempotencyHeader]: newSecret(random) }),
        },
        body: JSON.stringify(api.body(mail, from)),
        // Redirects are not followed, because the API token must not be sent to another address.
        redirect: 'manual',
      } satisfies RequestInit
      for (let attempt = 0; ; attempt++) {
        const timeoutMs = Math.min(limits.attemptMs, deadline - now())
        const failure = await post(deps.fetch, (url ?? api.url) + api.path, request, timeoutMs, api)
        if (!failure) return
        const delayMs = Math.max(RETRY_DELAYS_MS[attempt] ?? Infinity, failure.retryAfterMs ?? 0)
        if (!isTransient(failure) || now() + delayMs >= deadline)
          throw new MailNotSentError(name, failure)
        await wait(delayMs)
      }
    },
  }
}

async function post(
  fetch: MailerDeps['fetch'],
  url: string,
  request: RequestInit,
  timeoutMs: number,
  api: MailApi,
): Promise<MailFailure | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(url, { ...request, signal })
  } catch {
    return { reason: signal.aborted ? 'timeout' : 'network' }
  }
  const { status } = response
  if (response.ok || (status >= 300 && status < 400)) {
    await discardBody(response.body)
    return response.ok ? undefined : { reason: 'redirected', status }
  }
  const code = await readErrorCode(response, api)
  const seconds = /^\d{1,6}$/.exec(response.headers.get('retry-after') ?? '')?.[0]
  return {
    reason: failureReason(status),
    status,
    ...(code !== undefined && { code }),
    ...(seconds !== undefined && { retryAfterMs: Number(seconds) * 1000 }),
  }
}

function failureReason(status: number): MailFailure['reason'] {
  if (status === 429) return 'too_many'
  return status >= 500 || status === 409 ? 'unavailable' : 'refused'
}

function isTransient({ reason }: MailFailure): boolean {
  return reason !== 'refused' && reason !== 'redirected'
}

async function readErrorCode(response: Response, api: MailApi): Promise<string | undefined> {
  try {
    const code = api.errorCodeOf(JSON.parse(await readBoundedText(response, RESPONSE_MAX_BYTES)))
    const text = typeof code === 'number' ? String(code) : code
    return typeof text === 'string' && LOGGABLE_CODE.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
