import {
  describeFaults,
  type ParsedSettings,
  type SettingFault,
} from '../shared/config/parse-settings.ts'
import type { Watcher } from './chain/watch/watcher.ts'
import type { MetricsObject } from './metrics/metrics-object.ts'
import type { RateCapObject } from './limits/rate-cap-object.ts'
import type { TrustObject } from './trust/trust-object.ts'
import type { TriggerObject } from './queue/trigger-object.ts'
import type { ReportsObject } from './reports/reports-object.ts'
import type { SchedulerObject } from './schedule/scheduler-object.ts'
import { BINDINGS, checkEdgeSettings, type Settings, type UnparsedSettings } from './settings.ts'

export type { Settings }

/** Settings that have not been validated yet. `settingsOf` throws if a setting without a default is missing. */
type Bindings = {
  [Name in keyof UnparsedSettings]: undefined extends UnparsedSettings[Name]
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
  USER_REPORTS: Namespace<ReportsObject>
}

type BindingName = Exclude<keyof Env, keyof Bindings>

let parsed: { env: object; result: ParsedSettings<Settings> } | undefined

/** Parses the settings, and finds all of their faults. The result is cached per isolate. */
function parsedSettings(env: Env): ParsedSettings<Settings> {
  if (parsed?.env !== env) parsed = { env, result: checkEdgeSettings(env) }
  return parsed.result
}

/**
 * Returns the validated settings.
 * @throws {Error} if settings are missing or malformed. The message names each of these settings, but never contains a
 * value.
 */
export function settingsOf(env: Env): Settings {
  const { settings, faults } = parsedSettings(env)
  if (settings) return settings
  throw new Error(`The edge's settings are not usable: ${describeFaults(faults)}`)
}

/** Returns all faults of the settings and bindings. Empty if the edge can serve requests. */
export function environmentFaults(env: Env): SettingFault[] {
  const missing = BINDINGS.filter((name: BindingName) => env[name] === undefined)
  return [
    ...(parsedSettings(env).faults ?? []),
    ...missing.map((name): SettingFault => [name, 'binding is missing in wrangler.toml']),
  ]
}
