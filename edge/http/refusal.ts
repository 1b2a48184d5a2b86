import { causeOf } from '../db/cause-of.ts'
import { type Env, settingsOf } from '../env.ts'
import { logEvent } from '../log.ts'
import { MailNotSent } from '../identity/mailer.ts'
import type { EdgeEvent } from '../log-events.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { isDiskFull, toApiError } from './failure.ts'
import { traceHeaders } from './request-id.ts'
import { routeOf } from './route-of.ts'

/** Internal errors are logged, but their details are not disclosed. */
export function refusal(error: unknown, request: Request, env: Env): Response {
  const failure = toApiError(error)
  const trace = traceHeaders(request)
  const away = awayOf(error)
  if (failure.status === 500 || away || isDiskFull(error)) {
    const cause = away ? away.cause.slice(0, 300) : causeOf(error)
    const facts = { request_id: trace['x-request-id'], route: routeOf(request) }
    logEvent(env, away?.event ?? 'request.failed', { ...facts, cause })
  }
  const headers = {
    ...trace,
    ...failure.headers,
    // The same path may return an error page to a browser (`failure-page.tsx`), so caches must distinguish the two.
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  }
  const body = failure.toBody(settingsOf(env).PUBLIC_URL)
  return Response.json(body, { status: failure.status, headers })
}

/** Failures of external systems are logged, because their cause is not visible anywhere else. */
function awayOf(error: unknown): { event: EdgeEvent; cause: string } | undefined {
  if (error instanceof OriginAway) return { event: 'origin.away', cause: error.message }
  if (error instanceof MailNotSent) return { event: 'mail.not_sent', cause: error.message }
}
