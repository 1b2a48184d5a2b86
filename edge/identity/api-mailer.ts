/** Sends mail through an HTTP e-mail API (`decisions.md`, Sign-in; decision 0048). */
import { boundedText, cancel } from '../bounded-text.ts'
import { MAIL_APIS, type MailApi } from './mail-apis.ts'
import { type MailFailure, type Mailer, MailNotSent } from './mailer.ts'
import type { MailerSettings } from './mailer-settings.ts'
import { newSecret } from './secret.ts'

export type MailerDeps = {
  fetch: typeof fetch
  /** Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  wait: (ms: number) => Promise<void>
}

/** Somebody waits at a form, and what is done after an answer has 30 s (Workers, `waitUntil`). */
export const SEND_LIMITS = { attemptMs: 10_000, totalMs: 20_000 }

/** Before the second attempt and the third, which is the last. */
const PAUSES_MS = [500, 1_500]

/** Of an answer only its code is read. */
const ANSWER_MAX_BYTES = 4 * 1024

/** Resend refuses requests that do not say who asks. */
const USER_AGENT = 'svc-edge'

/** A word that cannot be an address, a link or a token. */
const CODE = /^[a-z0-9_.[\]]{1,48}$/i

/**
 * Tries again what may pass: no connection, no answer in time, 409 (Resend: the same request is still under way), 429
 * and 5xx. Where the API knows no idempotency key, a mail whose answer was lost is sent twice, with the same link.
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
      const endBy = now() + limits.totalMs
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
        // Whoever the API points to is not who the token is for.
        redirect: 'manual',
      } satisfies RequestInit
      for (let attempt = 0; ; attempt++) {
        const timeoutMs = Math.min(limits.attemptMs, endBy - now())
        const failure = await post(deps.fetch, (url ?? api.url) + api.path, request, timeoutMs, api)
        if (!failure) return
        const pauseMs = Math.max(PAUSES_MS[attempt] ?? Infinity, failure.retryAfterMs ?? 0)
        if (!mayPass(failure) || now() + pauseMs >= endBy) throw new MailNotSent(name, failure)
        await wait(pauseMs)
      }
    },
  }
}

/** @returns nothing where the mail was taken */
async function post(
  fetch: MailerDeps['fetch'],
  url: string,
  request: RequestInit,
  timeoutMs: number,
  api: MailApi,
): Promise<MailFailure | undefined> {
  const signal = AbortSignal.timeout(timeoutMs)
  let answer: Response
  try {
    answer = await fetch(url, { ...request, signal })
  } catch {
    return { reason: signal.aborted ? 'timeout' : 'network' }
  }
  const { status } = answer
  if (answer.ok || (status >= 300 && status < 400)) {
    await cancel(answer.body)
    return answer.ok ? undefined : { reason: 'redirected', status }
  }
  const code = await codeOf(answer, api)
  const seconds = /^\d{1,6}$/.exec(answer.headers.get('retry-after') ?? '')?.[0]
  return {
    reason: reasonOf(status),
    status,
    ...(code !== undefined && { code }),
    ...(seconds !== undefined && { retryAfterMs: Number(seconds) * 1000 }),
  }
}

function reasonOf(status: number): MailFailure['reason'] {
  if (status === 429) return 'too_many'
  return status >= 500 || status === 409 ? 'unavailable' : 'refused'
}

function mayPass({ reason }: MailFailure): boolean {
  return reason !== 'refused' && reason !== 'redirected'
}

async function codeOf(answer: Response, api: MailApi): Promise<string | undefined> {
  try {
    const code = api.codeOf(JSON.parse(await boundedText(answer, ANSWER_MAX_BYTES)))
    const text = typeof code === 'number' ? String(code) : code
    return typeof text === 'string' && CODE.test(text) ? text : undefined
  } catch {
    return undefined
  }
}
