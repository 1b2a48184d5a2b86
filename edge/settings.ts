/** `docs/configuration.md` is generated from this schema. */
import { z } from 'zod'
import { ENVIRONMENT_NAMES } from '../shared/config/environments.ts'
import { type ParsedSettings, parseEachSetting } from '../shared/config/parse-settings.ts'
import {
  commitSchema,
  LOG_LEVEL_MEANING,
  logLevelSetting,
  operatorTokenSetting,
  SETTINGS,
  UNKNOWN_COMMIT,
} from '../shared/config/settings.ts'
import { chainSettingProblems, chainsSetting } from '../shared/config/chain-settings.ts'
import { telemetrySettingProblems, telemetrySettings } from '../shared/config/telemetry-settings.ts'
import { mailerSetting } from './identity/mailer-settings.ts'
import { paymentSettingErrors, paymentSettings } from './payment/payment-settings.ts'
import { trustSettingProblems, trustSettings } from './trust/trust-settings.ts'

const base64Secret = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
      `base64url of ${bytes} random bytes`,
    )

/** Unix milliseconds. */
const timeSetting = () =>
  z.iso
    .datetime({ offset: true, error: 'expected a time such as 2026-11-23T10:00:00Z' })
    .transform((text) => Date.parse(text))
    .optional()

const UNFILLED = 'still the placeholder of wrangler.toml'

/** The top-level domain `invalid` never exists (RFC 2606), so it marks placeholders. */
function isFilledIn(url: string): boolean {
  return !URL.parse(url)?.hostname.endsWith('.invalid')
}

export const edgeSettings = {
  SVC_ENV: z.enum(ENVIRONMENT_NAMES).register(SETTINGS, {
    meaning:
      '`local`, `staging` or `production` (set by `wrangler.toml`): [Environments](#environments)',
  }),
  ORIGIN_URL: z
    .url({ protocol: /^https$/ })
    .refine(isFilledIn, UNFILLED)
    .register(SETTINGS, {
      meaning: 'URL of the origin, `https`, to which sealed requests are sent',
    }),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine(isFilledIn, UNFILLED)
    .register(SETTINGS, {
      meaning:
        'public URL of this service, `http` or `https`; used for links, webhook URLs and the origin check of forms. Its host must be a name. Passkeys are bound to the host: changing it invalidates all of them',
    }),
  ...trustSettings,
  CHANNEL_PSK: base64Secret(32).register(SETTINGS, {
    meaning: "the origin's `SVC_CHANNEL_PSK`",
    secret: true,
  }),
  ID_MAC_KEY: base64Secret(32).register(SETTINGS, {
    meaning:
      '32 random bytes in base64url, the MAC key for trigger IDs. Changing it invalidates all webhook URLs and run IDs',
    secret: true,
  }),
  CHAINS: chainsSetting,
  ...paymentSettings,
  MAILER: mailerSetting.register(SETTINGS, {
    meaning: 'the HTTP e-mail API for sign-in links and notices, as JSON: [below](#mailer)',
    default: 'none: sign-in is not available',
    secret: "it contains the API's token",
  }),
  ALERT_MAIL: z.enum(['on', 'off']).default('on').register(SETTINGS, {
    meaning:
      '`off` disables alert mails of all users ([alerts.md](alerts.md)). Without a mailer, they are disabled too',
  }),
  D1_RESTORED_AT: timeSetting().register(SETTINGS, {
    meaning:
      'time at which D1 was restored or created again after a loss. Each trigger then compares its row in the index at its next event, instead of within a day ([backup.md](backup.md#loss-of-d1))',
  }),
  POSTGRES_RESTORED_AT: timeSetting().register(SETTINGS, {
    meaning:
      "time at which the origin's database was restored to an earlier time. A run that was sent before this time, and that the origin no longer knows, fails with `origin_lost` instead of being sent again ([backup.md](backup.md#loss-of-postgres))",
  }),
  SVC_COMMIT: commitSchema.default(UNKNOWN_COMMIT).register(SETTINGS, {
    meaning:
      'commit of the source code, shown in `/health` and the metrics; set by `npm run deploy-edge`',
  }),
  SVC_LOG_LEVEL: logLevelSetting.register(SETTINGS, { meaning: LOG_LEVEL_MEANING }),
  ...telemetrySettings('svc-edge'),
  METRICS_TOKEN: operatorTokenSetting.optional().register(SETTINGS, {
    meaning:
      'bearer token for `/metrics` ([operate.md](operate.md)): 32 to 128 random characters of base64url',
    default: 'none: `/metrics` returns 404; the local stack generates a token',
    secret: true,
  }),
  OPERATOR_TOKEN: operatorTokenSetting.optional().register(SETTINGS, {
    meaning:
      'bearer token for `npm run operator` ([operate.md](operate.md#operator-commands)): 32 to 128 random characters of base64url. It can suspend triggers, erase users and read the triggers of all users',
    default: 'none: `/operator` returns 404',
    secret: true,
  }),
}

type EdgeShape = z.ZodObject<typeof edgeSettings>
export type UnparsedSettings = z.input<EdgeShape>
export type Settings = z.output<EdgeShape>

/** Parses the settings, and finds all of their faults. Messages contain no values. */
export function checkEdgeSettings(given: object): ParsedSettings<Settings> {
  const rules = [
    trustSettingProblems,
    chainSettingProblems,
    paymentSettingErrors,
    telemetrySettingProblems,
  ]
  return parseEachSetting(edgeSettings, given as Record<string, unknown>, rules)
}

/** Names of the bindings, which `wrangler.toml` declares. */
export const BINDINGS = [
  'DB',
  'TRIGGER_QUEUE',
  'ORIGIN_TRUST_OBJECT',
  'EDGE_METRICS',
  'RATE_CAP',
  'SCHEDULER',
  'CHAIN_WATCHER',
  'USER_REPORTS',
] as const
