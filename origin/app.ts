import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { ATTESTATION_PATH, EVIDENCES_PATH, INFO_PATH } from '../shared/attestation/evidence.ts'
import { RECEIPT_HEADER } from '../shared/receipt-header.ts'
import { SEALED_EXECUTE_PATH } from '../shared/wire/sealed.ts'
import { BodyRoomFull } from './admission/body-room.ts'
import { mountProcessorWebhook } from './http/billing-processor-webhook.ts'
import { mountAttestation } from './http/attestation.ts'
import { mountEvidences } from './http/evidences.ts'
import { mountErrorsPage } from './http/errors-page.ts'
import { failureAnswer } from './http/failure.ts'
import { mountHealth } from './http/health.ts'
import { mountInfo } from './http/info.ts'
import { mountMetrics } from './http/metrics.ts'
import { noteAnswer, routeOf } from './http/note-answer.ts'
import { nothingAt } from './http/nothing-at.ts'
import { mount, type OriginApp, type OriginEnv } from './http/operation.ts'
import { operations } from './http/operations.ts'
import { mountSealed } from './http/sealed.ts'
import { sealedExecute } from './http/sealed-execute.ts'
import { mountSealedHttp } from './http/sealed-http.ts'
import { sealedKeys } from './http/sealed-keys.ts'
import { sealedOutcomes } from './http/sealed-outcomes.ts'
import { ActionFailed } from './http/action-failure.ts'
import { mountDescription } from './http/swagger-ui/mount.ts'
import { traceOf } from './log.ts'
import type { Services } from './services.ts'

export function createApp(services: Services): OriginApp {
  const app: OriginApp = new Hono<OriginEnv>()
  const { log, settings } = services

  app.use(async (context, next) => {
    const began = performance.now()
    context.set('requestId', randomUUID())
    await next()
    noteAnswer(context, performance.now() - began, services)
    context.header('x-request-id', context.get('requestId'))
    const correlation = context.req.header('x-correlation-id')
    if (correlation !== undefined) context.header('x-correlation-id', correlation.slice(0, 255))
  })
  app.use('/core/v1/*', cors(CORS))
  app.use('/get_node_chain_config', cors(CORS))
  const verified = [ATTESTATION_PATH, INFO_PATH, `${EVIDENCES_PATH}*`, SEALED_EXECUTE_PATH]
  for (const path of verified) app.use(path, cors(CORS))

  for (const operation of operations) mount(app, services, operation)
  mountProcessorWebhook(app, services)
  mountDescription(app, services)
  mountErrorsPage(app)
  mountAttestation(app, services)
  mountInfo(app, services)
  mountEvidences(app, services)
  mountSealed(app, services, sealedExecute)
  mountSealed(app, services, sealedOutcomes)
  mountSealed(app, services, sealedKeys)
  mountSealedHttp(app, services)
  mountHealth(app, services)
  mountMetrics(app, services)

  const refuse = (error: Error, context: Context<OriginEnv>): Response => {
    const { status, headers, body, code } = failureAnswer(error, settings.SVC_PUBLIC_URL)
    services.counters.refused(status, code)
    const isExpected = error instanceof ActionFailed || error instanceof BodyRoomFull
    const isOurs = status >= 500 && !isExpected
    // Not logged: any client can abort many uploads, and no client receives the response.
    if (isOurs && !context.req.raw.signal.aborted) {
      const cause = status === 500 ? traceOf(error) : error.name
      const facts = { route: routeOf(context), request_id: context.get('requestId') }
      log('request.failed', { ...facts, cause })
    }
    for (const [name, value] of Object.entries(headers)) context.header(name, value)
    return context.json(body, status)
  }
  app.onError(refuse)
  // Returned, not thrown, so that middleware can set headers on it.
  app.notFound((context) =>
    refuse(nothingAt(context.req, methodsAt(app, context.req.path)), context),
  )
  return app
}

const CORS = {
  origin: '*',
  allowHeaders: ['Authorization', 'X-Api-Key', 'X-Wallet-Auth', 'Idempotency-Key', 'Content-Type'],
  exposeHeaders: ['x-request-id', 'x-svc-error', 'retry-after', 'x-total-count', RECEIPT_HEADER],
}

function methodsAt(app: OriginApp, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((route) => route.method)
  return [...new Set(methods)]
}
