import { env } from 'cloudflare:workers'
import { drizzle } from 'drizzle-orm/d1'
import { Hono } from 'hono'
import * as schema from '../../../edge/db/schema.ts'
import { registerAccountPage } from '../../../edge/pages/account/account-page.tsx'
import { registerPageScripts } from '../../../edge/pages/scripts/page-scripts.ts'
import { registerAgentAuthorize } from '../../../edge/pages/agents/authorize-page.tsx'
import { registerAgentRequests } from '../../../edge/http/agent-requests.ts'
import { registerAgentTokens } from '../../../edge/pages/agents/tokens-page.tsx'
import type { AppEnv, Services } from '../../../edge/http/app-env.ts'
import { registerDevMailbox } from '../../../edge/pages/dev-mailbox.tsx'
import { mountApiOperation } from '../../../edge/http/api-operation.ts'
import { meOperation } from '../../../edge/http/me.ts'
import {
  registerPasskeyRegistration,
  registerPasskeyRemoval,
} from '../../../edge/pages/account/passkey-registration.ts'
import { registerPasskeySignIn } from '../../../edge/pages/sign-in/passkey-sign-in.ts'
import { registerMagicLinkPage } from '../../../edge/pages/sign-in/magic-link-page.tsx'
import { registerSignInPage } from '../../../edge/pages/sign-in/sign-in-page.tsx'
import { registerSignOut } from '../../../edge/pages/sign-in/sign-out.ts'
import { toApiError } from '../../../edge/http/failure.ts'
import { logEvent } from '../../../edge/log.ts'
import type { EnvironmentName } from '../../../shared/config/environments.ts'
import { chooseMailer } from '../../../edge/identity/choose-mailer.ts'

export const PUBLIC_URL = 'https://edge.test'
export const database = (env as unknown as { DB: D1Database }).DB
const { ID_MAC_KEY } = env as unknown as { ID_MAC_KEY: string }
export const db = drizzle(database, { schema })

const random = (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes))
/** Rate limits have their own clock; `test/edge/limits/` tests them. */
const requireRate = async () => {}
const watcherOf = () => {
  throw new Error('nothing of identity asks a chain')
}

/** The identity routes, with a clock that the test can set. */
export function identityApp(SVC_ENV: EnvironmentName = 'local', changes: Partial<Services> = {}) {
  const clock = { ms: Date.UTC(2026, 10, 20) }
  const settings = { SVC_ENV, PUBLIC_URL, ID_MAC_KEY } as Services['settings']
  const identity = { db, now: () => clock.ms, random }
  /** Background work that responses did not wait for. */
  const afterwards: Promise<void>[] = []
  const services: Services = {
    ...identity,
    settings,
    mailer: chooseMailer(settings, identity),
    waitUntil: (work) => void afterwards.push(work),
    watcherOf,
    requireRate,
    log: (event, facts) => logEvent({}, event, facts),
    ...changes,
  }
  const app = new Hono<AppEnv>()
  app.use(async (c, next) => {
    c.set('services', services)
    await next()
  })
  app.onError((error, c) => {
    const failure = toApiError(error)
    if (failure.status === 500) throw error
    return c.json(failure.toBody('https://docs.test'), failure.status, failure.headers)
  })
  const routes = [
    registerSignInPage,
    registerMagicLinkPage,
    registerSignOut,
    registerAgentAuthorize,
  ]
  const passkeys = [registerPasskeySignIn, registerPasskeyRegistration, registerPasskeyRemoval]
  const agents = [registerAgentRequests, registerAgentTokens]
  const account = [registerAccountPage, registerPageScripts, ...passkeys]
  for (const register of [...routes, ...account, ...agents, registerDevMailbox]) register(app)
  mountApiOperation(app, meOperation)
  return { app, clock, services, afterwards: () => Promise.all(afterwards.splice(0)) }
}
