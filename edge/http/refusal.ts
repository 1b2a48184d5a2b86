import { type Env, settingsOf } from '../env.ts'
import { toApiError } from './failure.ts'
import { traceHeaders } from './request-id.ts'

/** The answer for a failure: its status and structured body; what is ours is logged, and not told. */
export function refusal(error: unknown, request: Request, env: Env): Response {
  const failure = toApiError(error)
  const trace = traceHeaders(request)
  if (failure.status === 500) {
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    const path = new URL(request.url).pathname
    const facts = { event: 'request.failed', request_id: trace['x-request-id'], path }
    console.error(JSON.stringify({ ...facts, cause: cause.slice(0, 500) }))
  }
  const docs = new URL(`/docs/errors#${failure.status}`, settingsOf(env).PUBLIC_URL)
  const headers = { ...trace, ...failure.headers }
  return Response.json(failure.toBody(docs.href), { status: failure.status, headers })
}
