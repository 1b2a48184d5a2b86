/** Schema of the settings among the Worker's bindings. `docs/configuration.md` is generated from it. */
import { z } from 'zod'
import { metricsTokenSetting } from '../shared/metrics-token.ts'
import { LOG_LEVEL_MEANING, logLevelSetting } from '../shared/service-log/setting.ts'
import { SETTINGS } from '../shared/settings.ts'
import { chainMisfits, chainsSetting } from './chain/chain-settings.ts'
import { mailerSetting } from './identity/mailer-settings.ts'
import { paymentMisfits, paymentSettings } from './payment/payment-settings.ts'
import { misfits, trustSettings } from './trust/trust-settings.ts'

const base64Secret = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[A-Za-z0-9_-]{${Math.ceil((bytes * 4) / 3)}}$`),
      `base64url of ${bytes} random bytes`,
    )

export const edgeSettings = {
  SVC_ENV: z.enum(['local', 'production']).register(SETTINGS, {
    meaning:
      '`local` or `production`, which `wrangler.toml` sets. In production there is no mailbox page, and sign-in needs a mailer',
  }),
  ORIGIN_URL: z.url({ protocol: /^https$/ }).register(SETTINGS, {
    meaning: "the origin's own host, `https`: where sealed requests go",
  }),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).register(SETTINGS, {
    meaning:
      'what senders and browsers know this service as, `http` or `https`; links, webhook URLs and the check of form origins use it. Passkeys are bound to its host: under another one all of them are lost, and its host must be a name',
  }),
  ...trustSettings,
  CHANNEL_PSK: base64Secret(32).register(SETTINGS, {
    meaning: "the origin's `SVC_CHANNEL_PSK`",
    secret: true,
  }),
  ID_MAC_KEY: base64Secret(32).register(SETTINGS, {
    meaning:
      '32 random bytes in base64url: the MAC in trigger ids. Another key makes every webhook URL and run id unknown',
    secret: true,
  }),
  CHAINS: chainsSetting.register(SETTINGS, {
    meaning: 'the chains whose events fire triggers, as JSON: [below](#chains)',
    default: 'none',
    secret: 'its URLs hold keys',
    production: '`http` nodes; two chains of one id',
  }),
  ...paymentSettings,
  MAILER: mailerSetting.register(SETTINGS, {
    meaning: 'the HTTP e-mail API for sign-in links and notices, as JSON: [below](#mailer)',
    default: 'none: nobody can sign in',
    secret: "it holds the API's token",
  }),
  SVC_LOG_LEVEL: logLevelSetting.register(SETTINGS, { meaning: LOG_LEVEL_MEANING }),
  METRICS_TOKEN: metricsTokenSetting.optional().register(SETTINGS, {
    meaning:
      'who has it may read `/metrics` ([operate.md](operate.md)): 32 to 128 characters of base64url, made at random',
    default: 'none: no such page; the local stack makes one',
    secret: true,
  }),
}

export const edgeSettingsSchema = z.object(edgeSettings).superRefine((settings, context) => {
  const found = [...misfits(settings), ...chainMisfits(settings), ...paymentMisfits(settings)]
  for (const [name, message] of found) context.addIssue({ code: 'custom', path: [name], message })
})

export type Settings = z.infer<typeof edgeSettingsSchema>
