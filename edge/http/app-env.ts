import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { Hono } from 'hono'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type * as schema from '../db/schema.ts'
import type { Env, Settings } from '../env.ts'
import type { LogFields } from '../../shared/service-log/line.ts'
import type { EdgeLogEvent } from '../log-events.ts'
import type { Mailer } from '../identity/mailer.ts'
import type { Session } from '../identity/sessions.ts'
import type { RateName } from '../limits/rates.ts'

/** Assembled once per request in `edge/app.ts`. */
export type Services = {
  db: DrizzleD1Database<typeof schema>
  settings: Settings
  /** Returns the current time in Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  watcherOf: (chain: ChainName) => Watcher
  log: (event: EdgeLogEvent, facts?: LogFields) => void
  mailer: Mailer
  /** Lets work continue for up to 30 s after the response is sent. The promise must not reject. */
  waitUntil: (work: Promise<void>) => void
  /** @throws {RateLimitExceededError} if the limit is exceeded */
  requireRate: (name: RateName, caller: string) => Promise<void>
}

type Variables = {
  services: Services
  session?: Promise<Session | undefined>
}

export type AppEnv = { Bindings: Env; Variables: Variables }

export type App = Hono<AppEnv>
