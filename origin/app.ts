import { randomUUID } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import { ApiError } from '../shared/errors.ts'
import { ContractRefused } from './accounts/writer.ts'
import { mountAccountExists } from './http/account-exists.ts'
import { addGroup } from './http/add-group.ts'
import { addUsageApiKey } from './http/add-usage-api-key.ts'
import { createWallet } from './http/create-wallet.ts'
import { mountEvidenceKeys } from './http/evidence-keys.ts'
import { toApiError } from './http/failure.ts'
import { getNodeChainConfig, getNodeChainConfigCore } from './http/get-node-chain-config.ts'
import { getSvcActionIpfsId } from './http/get-svc-action-ipfs-id.ts'
import { newAccount } from './http/new-account.ts'
import { mount, type OriginApp, type OriginEnv } from './http/operation.ts'
import { mountSealed } from './http/sealed.ts'
import { sealedExecute } from './http/sealed-execute.ts'
import { sealedOutcomes } from './http/sealed-outcomes.ts'
import { ActionFailed, svcAction } from './http/svc-action.ts'
import { traceOf } from './log.ts'
import type { Services } from './services.ts'

/** The origin's whole HTTP surface. */
export function createApp(services: Services): OriginApp {
  const app: OriginApp = new Hono<OriginEnv>()
  const { log, settings } = services

  app.use(async (context, next) => {
    context.set('requestId', randomUUID())
    await next()
    context.header('x-request-id', context.get('requestId'))
    const correlation = context.req.header('x-correlation-id')
    if (correlation !== undefined) context.header('x-correlation-id', correlation.slice(0, 255))
  })
  app.use('/core/v1/*', cors(CORS))
  app.use('/get_node_chain_config', cors(CORS))

  mount(app, services, newAccount)
  mount(app, services, createWallet)
  mount(app, services, getSvcActionIpfsId)
  mount(app, services, addGroup)
  mount(app, services, addUsageApiKey)
  mount(app, services, svcAction)
  mount(app, services, getNodeChainConfig)
  mount(app, services, getNodeChainConfigCore)
  mountAccountExists(app, services)
  mountEvidenceKeys(app, services)
  mountSealed(app, services, sealedExecute)
  mountSealed(app, services, sealedOutcomes)
  app.get('/health', (context) => {
    services.mirror.current()
    return context.json({ status: 'ok' })
  })

  const docs = (status: number) => `${settings.SVC_PUBLIC_URL}/docs/errors#${status}`
  const refuse = (error: Error, context: Context<OriginEnv>): Response => {
    if (error instanceof ActionFailed) {
      context.header('x-svc-error', error.code)
      return context.json(error.message, 500)
    }
    const failure = toApiError(error)
    // Nobody waits for the answer to an upload that was broken off, and anybody can break off many.
    if (failure.status >= 500 && !context.req.raw.signal.aborted) {
      const cause = failure.status === 500 ? traceOf(error) : error.name
      log('request.failed', { path: context.req.path, request_id: context.get('requestId'), cause })
    }
    for (const [name, value] of Object.entries(failure.headers)) context.header(name, value)
    if (error instanceof ContractRefused) {
      context.header('x-svc-error', error.code)
      if (failure.status === 400 || failure.status === 409)
        return context.json(failure.message, failure.status)
    }
    return context.json(failure.toBody(docs(failure.status)), failure.status)
  }
  app.onError(refuse)
  // Not thrown: a middleware that waits for the answer has to get one, to put its headers on.
  app.notFound((context) => refuse(nothingAt(context, methodsAt(app, context.req.path)), context))
  return app
}

const CORS = {
  origin: '*',
  allowHeaders: ['Authorization', 'X-Api-Key', 'Idempotency-Key', 'Content-Type'],
  exposeHeaders: ['x-request-id', 'x-svc-error', 'retry-after', 'x-total-count'],
}

function nothingAt(context: Context<OriginEnv>, methods: string[]): ApiError {
  const { method, path } = context.req
  if (methods.length === 0)
    return new ApiError(
      404,
      `There is nothing at ${path}.`,
      'Check the path; the API begins with /core/v1.',
    )
  const headers = { allow: methods.join(', ') }
  const fix = `Use ${methods.join(' or ')}.`
  return new ApiError(405, `${method} is not a method of ${path}.`, fix, { headers })
}

function methodsAt(app: OriginApp, path: string): string[] {
  const methods = app.routes
    .filter((route) => route.path === path && route.method !== 'ALL')
    .map((route) => route.method)
  return [...new Set(methods)]
}
