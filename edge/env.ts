/**
 * The Worker's bindings, parsed once (`docs/configuration.md` lists each).
 */
import { z } from 'zod'
import { metricsTokenSetting } from '../shared/metrics-token.ts'
import { LOG_LEVEL_SETTINGS } from '../shared/service-log/levels.ts'
import type { ChainWatcher } from './chain/watch/chain-watcher.ts'
import { chainMisfits, chainsSetting } from './chain/chain-settings.ts'
import { mailerSetting } from './identity/mailer-settings.ts'
import { LOG_LEVEL_DEFAULT } from './log.ts'
import type { EdgeMetrics } from './metrics/edge-metrics.ts'
import type { RateCap } from './limits/rate-cap.ts'
import type { OriginTrust } from './trust/origin-trust.ts'
import { misfits, trustShape } from './trust/trust-settings.ts'
import type { TriggerQueue } from './queue/trigger-queue.ts'
import type { Scheduler } from './schedule/scheduler.ts'

const base64Secret = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
      `base64url of ${bytes} random bytes`,
    )

const shape = {
  SVC_ENV: z.enum(['local', 'production']),
  /** The origin's own host, with its scheme: where sealed requests go. */
  ORIGIN_URL: z.url({ protocol: /^https$/ }),
  /** What senders and browsers know this service as: links and webhook URLs start with it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  ...trustShape,
  CHANNEL_PSK: base64Secret(32),
  ID_MAC_KEY: base64Secret(32),
  /** The chains whose events can fire triggers, with their nodes. */
  CHAINS: chainsSetting,
  /** The HTTP e-mail API that sign-in links and notices go out through, in production. */
  MAILER: mailerSetting,
  /** The least that is written into the log. */
  SVC_LOG_LEVEL: z.enum(LOG_LEVEL_SETTINGS).default(LOG_LEVEL_DEFAULT),
  /** Who has it may read `/metrics`; without it there is no such page. */
  METRICS_TOKEN: metricsTokenSetting.optional(),
}

const settingsSchema = z.object(shape).superRefine((settings, context) => {
  for (const [name, message] of [...misfits(settings), ...chainMisfits(settings)])
    context.addIssue({ code: 'custom', path: [name], message })
})

export type Settings = z.infer<typeof settingsSchema>

/** As text, each; what has no default in the code is there or `settingsOf` says so. */
type Bindings = {
  [Name in keyof z.input<typeof settingsSchema>]: undefined extends z.input<
    typeof settingsSchema
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
 * The settings of this isolate. The first call parses them, later ones are free.
 * @throws {Error} that names each setting that is missing or malformed; never its value.
 */
export function settingsOf(env: Env): Settings {
  if (parsed?.env === env) return parsed.settings
  const result = settingsSchema.safeParse(env)
  if (!result.success) {
    const wrong = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
    throw new Error(`The edge's settings are not usable: ${wrong.join('; ')}`)
  }
  parsed = { env, settings: result.data }
  return result.data
}
