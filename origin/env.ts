import { z } from 'zod'
import { NEW_ACCOUNT_DEFAULTS } from './admission/new-account-defaults.ts'
import { processorFaults } from './credits/processor/settings.ts'
import { originSettings } from './settings.ts'

const settingsSchema = z
  .object(originSettings)
  .superRefine((settings, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (settings.SVC_TEE === 'dstack') {
      if (settings.SVC_KMS_ROOT === undefined)
        refuse('SVC_KMS_ROOT', 'required with dstack; otherwise anyone could impersonate the KMS')
      for (const name of ['SVC_APP_COMPOSE_FILE', 'SVC_APP_ID'] as const)
        if (settings[name] !== undefined)
          refuse(name, 'allowed only with simulated; a real machine gets it from the guest agent')
    }
    if (settings.SVC_ENV === 'production') {
      if (settings.SVC_TEE === 'simulated')
        refuse('SVC_TEE', 'simulated is not allowed in production')
      if (settings.DSTACK_SIMULATOR_ENDPOINT !== undefined)
        refuse(
          'DSTACK_SIMULATOR_ENDPOINT',
          'not allowed in production, because it selects a simulator',
        )
      if (settings.SVC_TLS_DIR === undefined)
        refuse(
          'SVC_TLS_DIR',
          'required in production: the folder with the files of the ACME client',
        )
      if (settings.SVC_OUTBOUND_ALLOW.length > 0)
        refuse('SVC_OUTBOUND_ALLOW', 'not allowed in production, only for local development')
    }
    if (settings.SVC_EXECUTORS_MIN > settings.SVC_EXECUTORS_MAX)
      refuse('SVC_EXECUTORS_MIN', 'must not exceed SVC_EXECUTORS_MAX')
    for (const [name, fault] of processorFaults(settings)) refuse(name, fault)
  })
  .transform((settings) => {
    const { burst, perHour, gasPerDayWei } = NEW_ACCOUNT_DEFAULTS[settings.SVC_ENV]
    return {
      ...settings,
      SVC_NEW_ACCOUNT_BURST: settings.SVC_NEW_ACCOUNT_BURST ?? burst,
      SVC_NEW_ACCOUNT_PER_HOUR: settings.SVC_NEW_ACCOUNT_PER_HOUR ?? perHour,
      SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI: settings.SVC_NEW_ACCOUNT_GAS_PER_DAY_WEI ?? gasPerDayWei,
    }
  })

export type OriginSettings = z.infer<typeof settingsSchema>

/** @throws {Error} with a message that names every missing or invalid setting, but not its value */
export function parseSettings(environment: Record<string, string | undefined>): OriginSettings {
  const result = settingsSchema.safeParse(environment)
  if (result.success) return result.data
  const wrong = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`Invalid settings of the origin: ${wrong.join('; ')}`)
}
