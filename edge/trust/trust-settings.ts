import { z } from 'zod'
import { tryParseJson } from '../../shared/json/try-parse-json.ts'
import { type Policy, TCB_STATUSES } from '../../shared/attestation/policy.ts'
import { ENVIRONMENTS, type EnvironmentName } from '../../shared/config/environments.ts'
import type { SettingFault } from '../../shared/config/parse-settings.ts'
import { SETTINGS } from '../../shared/config/settings.ts'

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `expected lower-case hex of ${bytes} bytes`)

const measurementsSchema = z.strictObject({
  mrtd: hex(48),
  rtmr0: hex(48),
  rtmr1: hex(48),
  rtmr2: hex(48),
})

/**
 * TCB statuses that operators may accept. `Revoked` is excluded, because the keys of a revoked platform are considered
 * compromised.
 */
const acceptedStatus = z.enum(TCB_STATUSES).exclude(['Revoked'])

const commaList = z.string().transform((text) => text.split(',').map((entry) => entry.trim()))

export const trustSettings = {
  ORIGIN_TRUST: z.enum(['hardware', 'simulated']).register(SETTINGS, {
    meaning:
      "policy for verifying the origin: `hardware` (a quote under Intel's root; set by `wrangler.toml`) or `simulated` (under the root in `SIM_ROOT_SHA256`)",
    production: 'any value except `hardware`',
  }),
  SIM_ROOT_SHA256: hex(32).optional().register(SETTINGS, {
    meaning:
      "SHA-256 in hex of the simulated root's SubjectPublicKeyInfo; required with `simulated`, not allowed otherwise",
    production: 'any value',
  }),
  ORIGIN_APP_ID: hex(20).optional().register(SETTINGS, {
    meaning: "required `app_id` of the origin's application in dstack, 20 bytes in hex",
    default: 'none: any is accepted',
    production: 'if not set',
  }),
  ORIGIN_COMPOSE_HASHES: commaList
    .pipe(z.array(hex(32)).min(1))
    .optional()
    .register(SETTINGS, {
      meaning: 'allowed compose hashes, 32 bytes in hex each, separated by commas',
      default: 'none: any is accepted',
      production: 'if not set, unless `GOVERNANCE_RPC` is set',
    }),
  ORIGIN_MEASUREMENTS: z
    .string()
    .transform(tryParseJson)
    .pipe(z.array(measurementsSchema).min(1))
    .optional()
    .register(SETTINGS, {
      meaning:
        'allowed machines: a JSON array of `{"mrtd", "rtmr0", "rtmr1", "rtmr2"}`, 48 bytes in hex each',
      default: 'none: any is accepted',
      production: 'if not set',
    }),
  TCB_STATUSES: commaList
    .pipe(z.array(acceptedStatus).min(1))
    .default(['UpToDate'])
    .register(SETTINGS, {
      meaning:
        'accepted TCB statuses of the platform, separated by commas. `Revoked` is always rejected',
    }),
  GOVERNANCE_RPC: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'JSON-RPC URL of the chain with the governance contract, at the address of the app ID, that lists the allowed compose hashes; if set, it is queried at each verification',
      secret: 'if it contains a key',
      production: '`http`',
    }),
}

export type TrustSettings = z.infer<z.ZodObject<typeof trustSettings>>

/** @param settings settings that are malformed are undefined */
export function trustSettingProblems(
  settings: Partial<TrustSettings> & { SVC_ENV?: EnvironmentName },
): SettingFault[] {
  const { ORIGIN_TRUST, SIM_ROOT_SHA256, GOVERNANCE_RPC } = settings
  const found: SettingFault[] = []
  if (ORIGIN_TRUST === 'simulated' && SIM_ROOT_SHA256 === undefined)
    found.push(['SIM_ROOT_SHA256', 'required with ORIGIN_TRUST=simulated'])
  if (ORIGIN_TRUST === 'hardware' && SIM_ROOT_SHA256 !== undefined)
    found.push(['SIM_ROOT_SHA256', 'allowed only with ORIGIN_TRUST=simulated'])
  if (settings.SVC_ENV === undefined) return found
  const { machine, isPublic } = ENVIRONMENTS[settings.SVC_ENV]
  if (isPublic && GOVERNANCE_RPC?.startsWith('http:'))
    found.push(['GOVERNANCE_RPC', `must use https in ${settings.SVC_ENV}`])
  if (machine !== 'any' && ORIGIN_TRUST !== undefined && ORIGIN_TRUST !== machine)
    found.push(['ORIGIN_TRUST', `must be ${machine} in ${settings.SVC_ENV}`])
  if (machine !== 'hardware') return found

  const required = `required in ${settings.SVC_ENV}`
  if (settings.ORIGIN_APP_ID === undefined) found.push(['ORIGIN_APP_ID', required])
  if (settings.ORIGIN_MEASUREMENTS === undefined) found.push(['ORIGIN_MEASUREMENTS', required])
  if (settings.ORIGIN_COMPOSE_HASHES === undefined && GOVERNANCE_RPC === undefined)
    found.push(['ORIGIN_COMPOSE_HASHES', `${required}, unless GOVERNANCE_RPC is set`])
  return found
}

export function attestationPolicy(settings: TrustSettings): Policy {
  const { ORIGIN_MEASUREMENTS, ORIGIN_APP_ID, ORIGIN_COMPOSE_HASHES } = settings
  return {
    root: rootOf(settings),
    statuses: settings.TCB_STATUSES,
    ...(ORIGIN_MEASUREMENTS && { measurements: ORIGIN_MEASUREMENTS }),
    ...(ORIGIN_APP_ID !== undefined && { appId: ORIGIN_APP_ID }),
    ...(ORIGIN_COMPOSE_HASHES && { composeHashes: ORIGIN_COMPOSE_HASHES }),
  }
}

function rootOf({ ORIGIN_TRUST, SIM_ROOT_SHA256 }: TrustSettings): Policy['root'] {
  if (ORIGIN_TRUST === 'hardware') return { kind: 'intel' }
  if (SIM_ROOT_SHA256 === undefined) throw new Error('SIM_ROOT_SHA256 is not set')
  return { kind: 'simulated', spkiSha256: SIM_ROOT_SHA256 }
}
