/** The operator's keys for the payment processor. They must all be set, or all be omitted. */
import { z } from 'zod'
import { SETTINGS } from '../../../shared/settings.ts'

const key = (kinds: string) =>
  z
    .string()
    .regex(new RegExp(`^(${kinds})_(test|live)_[A-Za-z0-9_]{1,250}$`), `expected a ${kinds} key`)

export const processorSettings = {
  SVC_PROCESSOR_SECRET_KEY: key('sk|rk').optional().register(SETTINGS, {
    meaning:
      "the payment processor's secret key (`sk_…`), or a restricted one (`rk_…`) that may write customers and payment intents, and read refunds and disputes. This one and the next two go together: all or none",
    default: 'none: nothing can be paid, 503',
    secret: true,
    production: 'a key of the test mode',
  }),
  SVC_PROCESSOR_PUBLISHABLE_KEY: key('pk').optional().register(SETTINGS, {
    meaning:
      'its publishable key (`pk_…`), of the same mode (live or test); shown by `processor_config`',
  }),
  SVC_PROCESSOR_WEBHOOK_SECRET: z
    .string()
    .regex(/^whsec_[^\s,]{8,250}(,whsec_[^\s,]{8,250})?$/, 'expected one or two signing secrets')
    .optional()
    .register(SETTINGS, {
      meaning:
        'the signing secret (`whsec_…`) of the endpoint that is set up at the processor for `/core/v1/billing/processor_webhook`; two, separated by a comma, while one replaces the other',
      secret: true,
    }),
  SVC_PROCESSOR_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'where the processor is, for tests and local development; with keys of the test mode alone',
      default: "the processor's own host",
      production: 'any',
    }),
}

export type ProcessorSettings = {
  SVC_ENV: 'local' | 'production'
  SVC_PROCESSOR_SECRET_KEY?: string | undefined
  SVC_PROCESSOR_PUBLISHABLE_KEY?: string | undefined
  SVC_PROCESSOR_WEBHOOK_SECRET?: string | undefined
  SVC_PROCESSOR_URL?: string | undefined
}

/** Lists settings that are inconsistent with each other, and the reasons. */
export function processorFaults(settings: ProcessorSettings): [name: string, fault: string][] {
  const { SVC_ENV, SVC_PROCESSOR_SECRET_KEY: secret, SVC_PROCESSOR_URL: url } = settings
  const publishable = settings.SVC_PROCESSOR_PUBLISHABLE_KEY
  const faults: [string, string][] = []
  const three = [
    'SVC_PROCESSOR_SECRET_KEY',
    'SVC_PROCESSOR_PUBLISHABLE_KEY',
    'SVC_PROCESSOR_WEBHOOK_SECRET',
  ] as const
  const missing = three.filter((name) => settings[name] === undefined)
  if (missing.length < three.length)
    for (const name of missing)
      faults.push([name, 'required with the other settings of the processor'])
  if (secret !== undefined && publishable !== undefined && isLive(secret) !== isLive(publishable))
    faults.push([
      'SVC_PROCESSOR_PUBLISHABLE_KEY',
      'of another mode (live or test) than the secret key',
    ])
  if (SVC_ENV === 'production') {
    if (secret !== undefined && !isLive(secret))
      faults.push(['SVC_PROCESSOR_SECRET_KEY', 'production refuses keys of the test mode'])
    if (url !== undefined)
      faults.push([
        'SVC_PROCESSOR_URL',
        'production refuses it: it is for tests and local development',
      ])
  } else if (url !== undefined && secret !== undefined && isLive(secret))
    faults.push(['SVC_PROCESSOR_URL', 'a key of the live mode goes to the processor alone'])
  return faults
}

export type ProcessorConfig = {
  secretKey: string
  publishableKey: string
  webhookSecrets: readonly string[]
  live: boolean
  url: string | undefined
}

/** @returns undefined if no processor is configured */
export function processorConfig(settings: ProcessorSettings): ProcessorConfig | undefined {
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
