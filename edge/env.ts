/** The Worker's bindings, parsed once (`settings.ts`). */
import type { z } from 'zod'
import type { ChainWatcher } from './chain/watch/chain-watcher.ts'
import type { EdgeMetrics } from './metrics/edge-metrics.ts'
import type { RateCap } from './limits/rate-cap.ts'
import type { OriginTrust } from './trust/origin-trust.ts'
import type { TriggerQueue } from './queue/trigger-queue.ts'
import type { Scheduler } from './schedule/scheduler.ts'
import { edgeSettingsSchema, type Settings } from './settings.ts'

export type { Settings }

/** Unparsed settings. `settingsOf` throws if one without a default is missing. */
type Bindings = {
  [Name in keyof z.input<typeof edgeSettingsSchema>]: undefined extends z.input<
    typeof edgeSettingsSchema
  >[Name]
    ? string | undefined
    : string
}

export type Env = Bindings & {
  DB: D1Database
  TRIGGER_QUEUE: DurableObjectNamespace<TriggerQueue>
  ORIGIN_TRUST_OBJECT: DurableObjectNamespace<OriginTrust>
  EDGE_METRICS: DurableObjectNamespace<EdgeMetrics>
  RATE_CAP: DurableObjectNamespace<RateCap>
  SCHEDULER: DurableObjectNamespace<Scheduler>
  CHAIN_WATCHER: DurableObjectNamespace<ChainWatcher>
}

let parsed: { env: object; settings: Settings } | undefined

/**
 * Returns the settings. The first call in an isolate parses them; later calls return the cached result.
 * @throws {Error} naming each setting that is missing or malformed, but never its value
 */
export function settingsOf(env: Env): Settings {
  if (parsed?.env === env) return parsed.settings
  const result = edgeSettingsSchema.safeParse(env)
  if (!result.success) {
    const wrong = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The edge's settings are not usable: ${wrong.join('; ')}`)
  }
  parsed = { env, settings: result.data }
  return result.data
}
