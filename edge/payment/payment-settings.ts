import { z } from 'zod'
import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'
import type { SettingFault } from '../../shared/config/parse-settings.ts'
import { SETTINGS } from '../../shared/config/settings.ts'

/**
 * URL of the payment processor's client library. The processor's terms require that the library is loaded from this URL
 * and not copied.
 */
export const PROCESSOR_SCRIPT_URL = 'https://js.stripe.com/v3/'

export const paymentSettings = {
  PAYMENT_SCRIPT_URL: z
    .url({ protocol: /^https?$/ })
    .default(PROCESSOR_SCRIPT_URL)
    .register(SETTINGS, {
      meaning:
        "URL of the payment processor's client library, which only the page `/pay` loads; change it only for tests and local development",
      production: 'any other URL',
    }),
}

type PaymentSettings = z.infer<z.ZodObject<typeof paymentSettings>>

/** Malformed settings are undefined. */
export function paymentSettingErrors({
  SVC_ENV,
  PAYMENT_SCRIPT_URL = PROCESSOR_SCRIPT_URL,
}: Partial<PaymentSettings> & { SVC_ENV?: EnvironmentName }): SettingFault[] {
  if (SVC_ENV === undefined || !ENVIRONMENTS[SVC_ENV].isPublic) return []
  if (PAYMENT_SCRIPT_URL === PROCESSOR_SCRIPT_URL) return []
  return [['PAYMENT_SCRIPT_URL', `${SVC_ENV} allows only the processor's own script`]]
}
