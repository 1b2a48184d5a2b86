import { drizzle } from 'drizzle-orm/d1'
import { type Context, Hono } from 'hono'
import { cors } from 'hono/cors'
import * as schema from './db/schema.ts'
import { type Env, settingsOf } from './env.ts'
import { registerAccount } from './http/account.tsx'
import { registerAgentAuthorize } from './http/agent-authorize.tsx'
import { registerAgentRequests } from './http/agent-requests.ts'
import { registerAgentTokens } from './http/agent-tokens.tsx'
import type { App, AppEnv, Services } from './http/app-env.ts'
import { registerConsolePage } from './http/console/console-page.tsx'
import { registerEditorScript } from './http/console/editor-script.ts'
import { registerPayPage } from './http/console/pay-page.tsx'
import { registerRunPages } from './http/console/run-pages.ts'
import { registerTriggerPages } from './http/console/trigger-pages.ts'
import { registerFront } from './http/core/front.ts'
import { registerSealedExecute } from './http/core/sealed-execute.ts'
import { registerDevMailbox } from './http/dev-mailbox.tsx'
import { registerDocsPages } from './http/docs/docs-pages.tsx'
import { registerChainsGet } from './http/chains-get.ts'
import { failurePage, isForPerson } from './http/failure-page.tsx'
import { registerHealth } from './http/health.ts'
import { registerHome } from './http/home.tsx'
import { registerMe } from './http/me.ts'
import { registerMetrics } from './http/metrics.ts'
import { nothingAt } from './http/nothing-at.ts'
import { registerOpenApi } from './http/openapi-get.ts'
import { registerPageScripts } from './http/page-script.ts'
import { registerPasskeyRegistration } from './http/passkey-registration.ts'
import { registerPasskeyRemoval } from './http/passkey-removal.ts'
import { registerPasskeySignIn } from './http/passkey-sign-in.ts'
import { refusal } from './http/refusal.ts'
import { traceHeaders } from './http/request-id.ts'
import { matchedRoute, noteRoute } from './http/route-of.ts'
import { registerRunsCancel } from './http/runs-cancel.ts'
import { registerRunsGet } from './http/runs-get.ts'
import { registerRunsList } from './http/runs-list.ts'
import { registerRunsReplay } from './http/runs-replay.ts'
import { registerSignInLink } from './http/sign-in-link.tsx'
import { registerSignIn } from './http/sign-in.tsx'
import { registerSignOut } from './http/sign-out.tsx'
import { registerSkill } from './http/skill.ts'
import { registerTriggersCreate } from './http/triggers-create.ts'
import { registerTriggersDelete } from './http/triggers-delete.ts'
import { registerTriggersGet } from './http/triggers-get.ts'
import { registerTriggersList } from './http/triggers-list.ts'
import { registerTriggersPatch } from './http/triggers-patch.ts'
import { registerTriggersPreview } from './http/triggers-preview.ts'
import { registerTriggersPurge } from './http/triggers-purge.ts'
import { registerTriggersTest } from './http/triggers-test.ts'
import { registerVerifyPage } from './http/verify-page.tsx'
import { registerWebhook } from './http/webhook-handshake.ts'
import { logEvent } from './log.ts'
import { mailerOf } from './identity/choose-mailer.ts'
import { requireRate } from './limits/require-rate.ts'

export function createApp(): App {
  const app: App = new Hono<AppEnv>()

  app.use((c, next) => {
    noteRoute(c.req.raw, matchedRoute(c))
    return next()
  })
  registerWebhook(app)

  app.use(async (c, next) => {
    const settings = settingsOf(c.env)
    const identity = { db: databaseOf(c.env), now: Date.now, random }
    c.set('services', {
      ...identity,
      settings,
      mailer: mailerOf(settings, identity),
      log: (event, facts) => logEvent(c.env, event, facts),
      later: (work) => c.executionCtx.waitUntil(work),
      watcherOf: (chain) => c.env.CHAIN_WATCHER.getByName(chain),
      requireRate: (name, caller) => requireRate(c.env, name, caller),
    })
    await next()
    if (c.res.headers.has('x-request-id')) return
    for (const [name, value] of Object.entries(traceHeaders(c.req.raw))) c.header(name, value)
  })
  app.use('/api/*', cors(CORS))

  registerFront(app)
  registerSealedExecute(app)
  registerHome(app)
  registerMe(app)
  registerTriggersCreate(app)
  registerTriggersList(app)
  registerTriggersGet(app)
  registerTriggersPatch(app)
  registerTriggersPreview(app)
  registerTriggersDelete(app)
  registerTriggersTest(app)
  registerTriggersPurge(app)
  registerChainsGet(app)
  registerRunsList(app)
  registerRunsGet(app)
  registerRunsReplay(app)
  registerRunsCancel(app)
  registerSignIn(app)
  registerSignInLink(app)
  registerSignOut(app)
  registerPasskeySignIn(app)
  registerAccount(app)
  registerPasskeyRegistration(app)
  registerPasskeyRemoval(app)
  registerAgentRequests(app)
  registerAgentAuthorize(app)
  registerAgentTokens(app)
  registerVerifyPage(app)
  registerPageScripts(app)
  registerTriggerPages(app)
  registerRunPages(app)
  registerConsolePage(app)
  registerPayPage(app)
  registerDocsPages(app)
  registerEditorScript(app)
  registerDevMailbox(app)
  registerSkill(app)
  registerOpenApi(app)
  registerHealth(app)
  registerMetrics(app)

  const refuse = (error: Error, c: Context<AppEnv>) => {
    const refused = refusal(error, c.req.raw, c.env)
    return isForPerson(c.req.raw) ? failurePage(c, error, refused) : refused
  }
  app.onError(refuse)
  // Returned and not thrown, because middleware needs a response to which it can add headers.
  app.notFound((c) => refuse(nothingAt(c.req.method, methodsAt(app, c.req.path)), c))
  return app
}

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))

/** Caches one query builder per database binding: creating one processes the whole schema. */
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
