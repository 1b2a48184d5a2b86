/** The operator must set either all keys or no keys. */
import { z } from 'zod'
import { ENVIRONMENTS, type EnvironmentName } from '../../../shared/config/environments.ts'
import type { SettingFault } from '../../../shared/config/parse-settings.ts'
import { SETTINGS } from '../../../shared/config/settings.ts'

const key = (kinds: string) =>
  z
    .string()
    .regex(new RegExp(`^(${kinds})_(test|live)_[A-Za-z0-9_]{1,250}$`), `expected a ${kinds} key`)

export const processorSettings = {
  SVC_PROCESSOR_SECRET_KEY: key('sk|rk').optional().register(SETTINGS, {
    meaning:
      "the payment processor's secret key (`sk_…`), or a restricted key (`rk_…`) that can write customers and payment intents and read refunds and disputes. Set this and the next two together, or none of them",
    default: 'none: payments return 503',
    secret: true,
    production: 'test mode keys',
  }),
  SVC_PROCESSOR_PUBLISHABLE_KEY: key('pk').optional().register(SETTINGS, {
    meaning:
      'its publishable key (`pk_…`) of the same mode (live or test); returned by `processor_config`',
  }),
  SVC_PROCESSOR_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[^\s,]{8,250}(,whsec_[^\s,]{8,250})?$/, 'expected one or two signing secrets')
    .optional()
    .register(SETTINGS, {
      meaning:
        'signing secret (`whsec_…`) of the endpoint that is configured at the processor for `/core/v1/billing/processor_webhook`. During a rotation, two of them, separated by a comma',
      secret: true,
    }),
  SVC_PROCESSOR_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning: 'URL of the processor, for tests and local development; only with test mode keys',
      default: "the processor's own host",
      production: 'any value',
    }),
}

export type ProcessorSettings = {
  /** Undefined if the setting is malformed. */
  SVC_ENV?: EnvironmentName | undefined
  SVC_PROCESSOR_SECRET_KEY?: string | undefined
  SVC_PROCESSOR_PUBLISHABLE_KEY?: string | undefined
  SVC_PROCESSOR_WEBHOOK_SECRET?: string | undefined
  SVC_PROCESSOR_URL?: string | undefined
}

export function processorFaults(settings: ProcessorSettings): SettingFault[] {
  const { SVC_ENV, SVC_PROCESSOR_SECRET_KEY: secret, SVC_PROCESSOR_URL: url } = settings
  const publishable = settings.SVC_PROCESSOR_PUBLISHABLE_KEY
  const faults: SettingFault[] = []
  const required = [
    'SVC_PROCESSOR_SECRET_KEY',
    'SVC_PROCESSOR_PUBLISHABLE_KEY',
    'SVC_PROCESSOR_WEBHOOK_SECRET',
  ] as const
  const missing = required.filter((name) => settings[name] === undefined)
  if (missing.length < required.length)
    for (const name of missing) faults.push([name, 'required with the other processor settings'])
  if (secret !== undefined && publishable !== undefined && isLive(secret) !== isLive(publishable))
    faults.push([
      'SVC_PROCESSOR_PUBLISHABLE_KEY',
      'must have the same mode (live or test) as the secret key',
    ])
  if (SVC_ENV === undefined) return faults
  const { payments, isPublic } = ENVIRONMENTS[SVC_ENV]
  if (secret !== undefined && payments !== 'any' && isLive(secret) !== (payments === 'live'))
    faults.push([
      'SVC_PROCESSOR_SECRET_KEY',
      `${isLive(secret) ? 'live' : 'test'} mode keys are not allowed in ${SVC_ENV}`,
    ])
  if (url !== undefined && isPublic)
    faults.push([
      'SVC_PROCESSOR_URL',
      `not allowed in ${SVC_ENV}, only for tests and local development`,
    ])
  else if (url !== undefined && secret !== undefined && isLive(secret))
    faults.push(['SVC_PROCESSOR_URL', 'not allowed with a live mode key'])
  return faults
}

export type ProcessorCredentials = {
  secretKey: string
  publishableKey: string
  webhookSecrets: readonly string[]
  live: boolean
  url: string | undefined
}

export function processorCredentials(
  settings: ProcessorSettings,
): ProcessorCredentials | undefined {
  const {
    SVC_PROCESSOR_SECRET_KEY: secretKey,
    SVC_PROCESSOR_PUBLISHABLE_KEY: publishableKey,
    SVC_PROCESSOR_WEBHOOK_SECRET: webhookSecret,
    SVC_PROCESSOR_URL: url,
  } = settings
  if (secretKey === undefined || publishableKey === undefined || webhookSecret === undefined)
    return undefined
  const webhookSecrets = webhookSecret.split(',')
  return { secretKey, publishableKey, webhookSecrets, live: isLive(secretKey), url }
}

function isLive(apiKey: string): boolean {
  return apiKey.split('_')[1] === 'live'
}
