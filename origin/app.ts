import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import {
  ATTESTATION_PATH,
  EVIDENCE_BUNDLE_PATH,
  EVIDENCES_PATH,
  INFO_PATH,
} from '../shared/attestation/evidence.ts'
import { environmentHeaders } from '../shared/config/environments.ts'
import { RECEIPT_HEADER } from '../shared/wire/header-names.ts'
import { SEALED_EXECUTE_PATH, SEALED_OUTCOMES_PATH } from '../shared/wire/sealed.ts'
import { BodyBudgetExhaustedError } from './admission/body-budgets.ts'
import { DrainingError } from './admission/drain.ts'
import { mountProcessorWebhook } from './http/billing-processor-webhook.ts'
import { mountAttestation } from './http/attestation.ts'
import { mountEvidenceBundle } from './http/evidence-bundle.ts'
import { mountEvidences } from './http/evidences.ts'
import { mountErrorsPage } from './http/errors-page.ts'
import { failureResponse } from './http/failure.ts'
import { mountHealth } from './http/health.ts'
import { mountInfo } from './http/info.ts'
import { mountMetrics } from './http/metrics.ts'
import { endRequestSpan, startRequestSpan } from './http/request-span.ts'
import { recordHandledRequest, routePattern } from './http/record-handled-request.ts'
import { unmatchedRouteError } from './http/unmatched-route-error.ts'
import { mountOperation, type OriginApp, type OriginEnv } from './http/operation.ts'
import { operations } from './http/operations.ts'
import { mountSealed } from './http/sealed.ts'
import { sealedExecuteOperation } from './http/sealed-execute.ts'
import { mountSealedRuns } from './http/sealed-runs.ts'
import { mountSealedHttp } from './http/sealed-http.ts'
import { sealedKeyStatesOperation } from './http/sealed-key-states.ts'
import { sealedKeysOperation } from './http/sealed-keys.ts'
import { sealedLogsOperation } from './http/sealed-logs.ts'
import { sealedOutcomesOperation } from './http/sealed-outcomes.ts'
import { ActionFailedError } from './http/action-errors.ts'
import { mountApiDescription } from './http/swagger-ui/mount-api-description.ts'
import { errorTrace } from './log.ts'
import type { OriginServices } from './services.ts'

export function createOriginApp(services: OriginServices): OriginApp {
  const app: OriginApp = new Hono<OriginEnv>()
  const { drain, log, settings } = services
  const marks = environmentHeaders(settings.SVC_ENV)
  const allowOtherSites = cors({
    ...CORS_OPTIONS,
    exposeHeaders: [...CORS_OPTIONS.exposeHeaders, ...Object.keys(marks)],
  })

  app.use(async (context, next) => {
    const startedAt = performance.now()
    context.set('requestId', randomUUID())
    const { method, path } = context.req
    const span = startRequestSpan(context, services.tracer)
    context.set('span', span)
    const isWork = method === 'POST' && path !== SEALED_OUTCOMES_PATH
    await (isWork ? drain.track(next()) : next())
    recordHandledRequest(context, performance.now() - startedAt, services)
    if (span) endRequestSpan(span, context)
    context.header('x-request-id', context.get('requestId'))
    restrictReaders(context)
    for (const [name, value] of Object.entries(marks)) context.header(name, value)
    if (drain.isDraining) context.header('connection', 'close')
    const correlation = context.req.header('x-correlation-id')
    if (correlation !== undefined) context.header('x-correlation-id', correlation.slice(0, 255))
  })
  app.use('/core/v1/*', allowOtherSites)
  app.use('/get_node_chain_config', allowOtherSites)
  const verifierPaths = [
    ATTESTATION_PATH,
    EVIDENCE_BUNDLE_PATH,
    INFO_PATH,
    `${EVIDENCES_PATH}*`,
    SEALED_EXECUTE_PATH,
  ]
  for (const path of verifierPaths) app.use(path, allowOtherSites)

  for (const operation of operations) mountOperation(app, services, operation)
  mountProcessorWebhook(app, services)
  mountApiDescription(app, services)
  mountErrorsPage(app, services)
  mountAttestation(app, services)
  mountEvidenceBundle(app, services)
  mountInfo(app, services)
  mountEvidences(app, services)
  mountSealed(app, services, sealedExecuteOperation)
  mountSealed(app, services, sealedOutcomesOperation)
  mountSealed(app, services, sealedLogsOperation)
  mountSealed(app, services, sealedKeysOperation)
  mountSealed(app, services, sealedKeyStatesOperation)
  mountSealedRuns(app, services)
  mountSealedHttp(app, services)
  mountHealth(app, services)
  mountMetrics(app, services)

  const respondWithError = (error: Error, context: Context<OriginEnv>): Response => {
    const { status, headers, body, code } = failureResponse(error, settings.SVC_PUBLIC_URL)
    services.counters.countRejection(status, code)
    const isExpected =
      error instanceof ActionFailedError ||
      error instanceof BodyBudgetExhaustedError ||
      error instanceof DrainingError
    const isServerFault = status >= 500 && !isExpected
    // Does not log aborted requests: any client can abort many uploads, and the client no longer receives the response.
    if (isServerFault && !context.req.raw.signal.aborted) {
      const cause = status === 500 ? errorTrace(error) : error.name
      const facts = { route: routePattern(context), request_id: context.get('requestId') }
      log('request.failed', { ...facts, cause })
    }
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return context.json(body, status)
  }
  app.onError(respondWithError)
  // Returns the error response instead of throwing, so that middleware can set headers on the response.
  app.notFound((context) =>
    respondWithError(
      unmatchedRouteError(context.req, methodsForPath(app, context.req.path)),
      context,
    ),
  )
  return app
}

/** Replaces `*` if the key of the request is restricted to web origins (docs/decisions/0135). */
function restrictReaders(context: Context<OriginEnv>): void {
  const readableBy = context.get('readableBy')
  if (readableBy === undefined) return
  context.header('vary', 'Origin', { append: true })
  // Without a value, the header is removed, and browsers let no website read the response.
  context.header('access-control-allow-origin', readableBy ?? undefined)
}

const CORS_OPTIONS = {
  origin: '*',
  allowHeaders: ['Authorization', 'X-Api-Key', 'X-Wallet-Auth', 'Idempotency-Key', 'Content-Type'],
  exposeHeaders: ['x-request-id', 'x-svc-error', 'retry-after', 'x-total-count', RECEIPT_HEADER],
}

function methodsForPath(app: OriginApp, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((route) => route.method)
  return [...new Set(methods)]
}
