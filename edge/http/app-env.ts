import type { DrizzleD1Database } from 'drizzle-orm/d1'
import type { Hono } from 'hono'
import type { ChainName } from '../chain/chain-settings.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type * as schema from '../db/schema.ts'
import type { Env, Settings } from '../env.ts'
import type { LogFacts } from '../../shared/service-log/line.ts'
import type { EdgeEvent } from '../log-events.ts'
import type { Mailer } from '../identity/mailer.ts'
import type { Session } from '../identity/sessions.ts'
import type { RateName } from '../limits/rates.ts'

/** What every operation is given; `edge/app.ts` puts it together once a request. */
export type Services = {
  db: DrizzleD1Database<typeof schema>
  settings: Settings
  /** Unix milliseconds. */
  now: () => number
  random: (bytes: number) => Uint8Array<ArrayBuffer>
  /** The watcher of a chain that is configured. */
  watcherOf: (chain: ChainName) => Watcher
  log: (event: EdgeEvent, facts?: LogFacts) => void
  /** The way out for mail; `edge/identity/notices.ts` has what an owner is told. */
  mailer: Mailer
  /** Keeps work alive that the answer does not wait for, for 30 s at most. It must not reject. */
  later: (work: Promise<void>) => void
  /** Counts a call of a caller. @throws {TooManyCalls} */
  requireRate: (name: RateName, caller: string) => Promise<void>
}

type Variables = {
  services: Services
  /** The browser's session, once it was looked up. */
  session?: Promise<Session | undefined>
}

export type AppEnv = { Bindings: Env; Variables: Variables }

export type App = Hono<AppEnv>
