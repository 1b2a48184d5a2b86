/**
 * The Worker's bindings, parsed once (`docs/configuration.md` lists each).
 */
import { z } from 'zod'
import type { RateCap } from './limits/rate-cap.ts'
import type { OriginTrust } from './trust/origin-trust.ts'
import type { TriggerQueue } from './queue/trigger-queue.ts'
import type { Scheduler } from './schedule/scheduler.ts'

const base64Secret = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
      `base64url of ${bytes} random bytes`,
    )

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'SHA-256 in lower-case hex')

const settingsSchema = z.object({
  SVC_ENV: z.enum(['local', 'production']),
  /** The origin's own host, with its scheme: where sealed requests go. */
  ORIGIN_URL: z.url({ protocol: /^https$/ }),
  /** What senders and browsers know this service as: links and webhook URLs start with it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }),
  /** Which policy verifies the origin's channel key. */
  ORIGIN_TRUST: z.enum(['pinned']),
  /** SHA-256 (hex) of the origin's channel key file, for the policy `pinned`. */
  CHANNEL_KEY_SHA256: sha256,
  /** The same of its storage key file, that usage keys are sealed to. */
  STORAGE_KEY_SHA256: sha256,
  CHANNEL_PSK: base64Secret(32),
  ID_MAC_KEY: base64Secret(32),
})

export type Settings = z.infer<typeof settingsSchema>

export type Env = Record<keyof Settings, string> & {
  DB: D1Database
  TRIGGER_QUEUE: DurableObjectNamespace<TriggerQueue>
  ORIGIN_TRUST_OBJECT: DurableObjectNamespace<OriginTrust>
  RATE_CAP: DurableObjectNamespace<RateCap>
  SCHEDULER: DurableObjectNamespace<Scheduler>
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
