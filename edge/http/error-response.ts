import { rootCauseText } from '../db/root-cause-text.ts'
import { type Env, settingsOf } from '../env.ts'
import { logEvent } from '../log.ts'
import { MailNotSentError } from '../identity/mailer.ts'
import type { EdgeLogEvent } from '../log-events.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { isDiskFull, toApiError } from './failure.ts'
import { traceHeaders } from './trace-headers.ts'
import { recordedRoute } from './request-route.ts'

/** Internal errors are logged, but the response does not contain their details. */
export function toErrorResponse(error: unknown, request: Request, env: Env): Response {
  const failure = toApiError(error)
  const trace = traceHeaders(request)
  const external = externalFailure(error)
  if (failure.status === 500 || external || isDiskFull(error)) {
    const cause = external ? external.cause.slice(0, 300) : rootCauseText(error)
    const facts = { request_id: trace['x-request-id'], route: recordedRoute(request) }
    logEvent(env, external?.event ?? 'request.failed', { ...facts, cause })
  }
  const headers = {
    ...trace,
    ...failure.headers,
    // Browsers receive an error page for the same path (`error-page.tsx`), so caches must store both responses
    // separately.
    vary: 'Accept',
    'x-content-type-options': 'nosniff',
  }
  const body = failure.toBody(settingsOf(env).PUBLIC_URL)
  return Response.json(body, { status: failure.status, headers })
}

/** Such failures are logged, because their cause is not visible anywhere else. */
function externalFailure(error: unknown): { event: EdgeLogEvent; cause: string } | undefined {
  if (error instanceof OriginUnavailableError) return { event: 'origin.away', cause: error.message }
  if (error instanceof MailNotSentError) return { event: 'mail.not_sent', cause: error.message }
}
