import { drizzle } from 'drizzle-orm/d1'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import * as schema from './db/schema.ts'
import { type Env, settingsOf } from './env.ts'
import { registerAccountPage } from './pages/account/account-page.tsx'
import { registerAuditLogPage } from './pages/audit-log/audit-log-page.tsx'
import { registerAlertsPage } from './pages/alerts/alerts-page.tsx'
import { registerMutePage } from './pages/alerts/mute-page.tsx'
import { registerAgentAuthorize } from './pages/agents/authorize-page.tsx'
import { registerDevicePage } from './pages/agents/device-page.tsx'
import { registerAgentRequests } from './http/agent-requests.ts'
import { registerAgentTokens } from './pages/agents/tokens-page.tsx'
import { mountApiOperation } from './http/api-operation.ts'
import { apiOperations } from './http/api-operations.ts'
import type { App, AppEnv, Services } from './http/app-env.ts'
import { registerConsolePage } from './pages/console/console-page.tsx'
import { registerPayPage } from './pages/pay/pay-page.tsx'
import { registerFailedRunPages } from './pages/failed-runs/routes.ts'
import { registerRunPages } from './pages/runs/routes.ts'
import { registerTriggerPages } from './pages/triggers/routes.ts'
import { registerAccountEndpoints } from './pages/console/account-endpoints.ts'
import { privateResponse, requirePageRequest } from './pages/requests/page-request.ts'
import { registerAccountRelay } from './http/core/account-relay.ts'
import { registerCoreProxy } from './http/core/core-proxy.ts'
import { registerSealedExecute } from './http/core/sealed-execute.ts'
import { registerDevMailbox } from './pages/dev-mailbox.tsx'
import { registerDocsPages } from './pages/docs/docs-pages.tsx'
import { errorPage, wantsErrorPage } from './pages/layout/error-page.tsx'
import { registerHealth } from './http/health.ts'
import { registerHomePage } from './pages/home-page.tsx'
import { registerMetrics } from './http/metrics.ts'
import { registerOperator } from './http/operator.ts'
import { unmatchedRoute } from './http/unmatched-route.ts'
import { registerOpenApi } from './http/openapi-get.ts'
import { registerPageScripts } from './pages/scripts/page-scripts.ts'
import {
  registerPasskeyRegistration,
  registerPasskeyRemoval,
} from './pages/account/passkey-registration.ts'
import { registerPasskeySignIn } from './pages/sign-in/passkey-sign-in.ts'
import { toErrorResponse } from './http/error-response.ts'
import { traceHeaders } from './http/trace-headers.ts'
import { matchedRoute, recordRoute } from './http/request-route.ts'
import { registerMagicLinkPage } from './pages/sign-in/magic-link-page.tsx'
import { registerSignInPage } from './pages/sign-in/sign-in-page.tsx'
import { registerSignOut } from './pages/sign-in/sign-out.ts'
import { registerMcp } from './http/mcp.ts'
import { registerOAuthDeviceAuthorization } from './http/oauth/device-authorization.ts'
import { registerOAuthMetadata } from './http/oauth/metadata.ts'
import { registerOAuthRevocation } from './http/oauth/revoke.ts'
import { registerOAuthToken } from './http/oauth/token.ts'
import { registerOAuthAuthorize } from './pages/oauth/authorize-page.tsx'
import { registerSkill } from './http/skill.ts'
import { registerVerifyPage } from './pages/verify-page.tsx'
import { registerWebhook } from './http/webhook-handshake.ts'
import { logEvent } from './log.ts'
import { chooseMailer } from './identity/choose-mailer.ts'
import { requireRate } from './limits/require-rate.ts'

export function createApp(): App {
  const app: App = new Hono<AppEnv>()

  app.use((c, next) => {
    recordRoute(c.req.raw, matchedRoute(c))
    return next()
  })
  registerWebhook(app)

  app.use(async (c, next) => {
    const settings = settingsOf(c.env)
    const identity = { db: databaseOf(c.env), now: Date.now, random }
    c.set('services', {
      ...identity,
      settings,
      mailer: chooseMailer(settings, identity),
      log: (event, facts) => logEvent(c.env, event, facts),
      waitUntil: (work) => c.executionCtx.waitUntil(work),
      watcherOf: (chain) => c.env.CHAIN_WATCHER.getByName(chain),
      requireRate: (name, caller) => requireRate(c.env, name, caller),
    })
    await next()
    if (c.res.headers.has('x-request-id')) return
    for (const [name, value] of Object.entries(traceHeaders(c.req.raw))) c.header(name, value)
  })
  app.use('/api/*', cors(CORS))

  registerCoreProxy(app)
  registerSealedExecute(app)
  registerAccountRelay(app, { requirePageRequest, privateResponse })
  registerHomePage(app)
  for (const operation of apiOperations) mountApiOperation(app, operation)
  registerMcp(app)
  registerOAuthMetadata(app)
  registerOAuthToken(app)
  registerOAuthRevocation(app)
  registerOAuthDeviceAuthorization(app)
  registerSignInPage(app)
  registerMagicLinkPage(app)
  registerSignOut(app)
  registerPasskeySignIn(app)
  registerAccountPage(app)
  registerPasskeyRegistration(app)
  registerPasskeyRemoval(app)
  registerAgentRequests(app)
  registerAgentAuthorize(app)
  registerDevicePage(app)
  registerAgentTokens(app)
  // `fetch` cannot be called as a method of another object.
  registerOAuthAuthorize(app, (...request) => fetch(...request))
  registerVerifyPage(app)
  registerPageScripts(app)
  registerTriggerPages(app)
  registerRunPages(app)
  registerFailedRunPages(app)
  registerAlertsPage(app)
  registerAuditLogPage(app)
  registerMutePage(app)
  registerConsolePage(app)
  registerAccountEndpoints(app)
  registerPayPage(app)
  registerDocsPages(app)
  registerDevMailbox(app)
  registerSkill(app)
  registerOpenApi(app)
  registerHealth(app)
  registerMetrics(app)
  registerOperator(app)

  const respondWithError = (error: Error, c: Context<AppEnv>) => {
    const response = toErrorResponse(error, c.req.raw, c.env)
    return wantsErrorPage(c.req.raw) ? errorPage(c, error, response) : response
  }
  app.onError(respondWithError)
  // The error response is returned instead of thrown, because middleware needs a response to which it can add headers.
  app.notFound((c) => respondWithError(unmatchedRoute(c.req.method, methodsAt(app, c.req.path)), c))
  return app
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** Caches one query builder per database binding, because creating a query builder processes the whole schema. */
const databases = new WeakMap<D1Database, Services['db']>()
function databaseOf({ DB }: Env): Services['db'] {
  const known = databases.get(DB) ?? drizzle(DB, { schema })
  databases.set(DB, known)
  return known
}

const CORS = {
  origin: '*',
  allowMethods: ['GET', 'POST', 'PATCH', 'DELETE'],
  allowHeaders: ['Authorization', 'X-Api-Key', 'Idempotency-Key', 'Content-Type'],
  exposeHeaders: [
    'x-request-id',
    'x-svc-error',
    'retry-after',
    'x-total-count',
    'link',
    'location',
  ],
}

function methodsAt(app: App, path: string): string[] {
  const segments = path.split('/')
  const fits = (pattern: string) => {
    const parts = pattern.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, i) => part === segments[i] || (part.startsWith(':') && segments[i] !== ''))
    )
  }
  const routes = app.routes.filter((route) => route.method !== 'ALL' && fits(route.path))
  return [...new Set(routes.map((route) => route.method))]
}
