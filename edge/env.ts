import type { z } from 'zod'
import type { Watcher } from './chain/watch/watcher.ts'
import type { MetricsObject } from './metrics/metrics-object.ts'
import type { RateCapObject } from './limits/rate-cap-object.ts'
import type { TrustObject } from './trust/trust-object.ts'
import type { TriggerObject } from './queue/trigger-object.ts'
import type { SchedulerObject } from './schedule/scheduler-object.ts'
import { edgeSettingsSchema, type Settings } from './settings.ts'

export type { Settings }

/** Settings that have not been validated yet. `settingsOf` throws if a setting without a default is missing. */
type Bindings = {
  [Name in keyof z.input<typeof edgeSettingsSchema>]: undefined extends z.input<
    typeof edgeSettingsSchema
  >[Name]
    ? string | undefined
    : string
}

/**
 * Durable Object namespace, typed by the RPC interface of its objects. The classes cannot be used as types, because
 * they import this file.
 */
type Namespace<Methods> = DurableObjectNamespace<Methods & Rpc.DurableObjectBranded>

export type Env = Bindings & {
  DB: D1Database
  TRIGGER_QUEUE: Namespace<TriggerObject>
  ORIGIN_TRUST_OBJECT: Namespace<TrustObject>
  EDGE_METRICS: Namespace<MetricsObject>
  RATE_CAP: Namespace<RateCapObject>
  SCHEDULER: Namespace<SchedulerObject>
  CHAIN_WATCHER: Namespace<Watcher>
}

let parsed: { env: object; settings: Settings } | undefined

/**
 * Returns the validated settings, which are cached per isolate.
 * @throws {Error} if settings are missing or malformed. The message names each of these settings, but never contains a
 * value.
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
