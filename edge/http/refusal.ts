import { causeOf } from '../db/cause-of.ts'
import { type Env, settingsOf } from '../env.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { toApiError } from './failure.ts'
import { traceHeaders } from './request-id.ts'

/** The answer for a failure: its status and structured body; what is ours is logged, and not told. */
export function refusal(error: unknown, request: Request, env: Env): Response {
  const failure = toApiError(error)
  const trace = traceHeaders(request)
  const away = error instanceof OriginAway
  if (failure.status === 500 || away) {
    // Of an origin that is away the reason is what nobody else will see.
    const cause = away ? error.message.slice(0, 300) : causeOf(error)
    const path = new URL(request.url).pathname
    const event = away ? 'origin.away' : 'request.failed'
    const facts = { event, request_id: trace['x-request-id'], path }
    console.error(JSON.stringify({ ...facts, cause }))
  }
  const docs = new URL(`/docs/errors#${failure.status}`, settingsOf(env).PUBLIC_URL)
  const headers = { ...trace, ...failure.headers }
  return Response.json(failure.toBody(docs.href), { status: failure.status, headers })
}
