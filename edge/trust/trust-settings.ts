/** Settings of the Worker that define which origins the edge trusts. */
import { z } from 'zod'
import { type Policy, TCB_STATUSES } from '../../shared/attestation/policy.ts'
import { SETTINGS } from '../../shared/settings.ts'

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `lower-case hex of ${bytes} bytes`)

const measurementsSchema = z.strictObject({
  mrtd: hex(48),
  rtmr0: hex(48),
  rtmr1: hex(48),
  rtmr2: hex(48),
})

/** The keys of a revoked platform are considered compromised, so operators cannot accept it. */
const acceptedStatus = z.enum(TCB_STATUSES).exclude(['Revoked'])

const commaList = z.string().transform((text) => text.split(',').map((entry) => entry.trim()))

export const trustSettings = {
  ORIGIN_TRUST: z.enum(['hardware', 'simulated']).register(SETTINGS, {
    meaning:
      "the policy that verifies the origin: `hardware` (a quote under Intel's root; `wrangler.toml` sets it) or `simulated` (under the root that `SIM_ROOT_SHA256` names)",
    production: 'anything but `hardware`',
  }),
  SIM_ROOT_SHA256: hex(32).optional().register(SETTINGS, {
    meaning:
      "SHA-256 in hex of the simulated root's SubjectPublicKeyInfo; with `simulated` alone, and required there",
    production: 'any',
  }),
  ORIGIN_APP_ID: hex(20).optional().register(SETTINGS, {
    meaning: "20 bytes of hex: the application that the origin has to be, dstack's `app_id`",
    default: 'none: any',
    production: 'its absence',
  }),
  ORIGIN_COMPOSE_HASHES: commaList
    .pipe(z.array(hex(32)).min(1))
    .optional()
    .register(SETTINGS, {
      meaning: 'compose hashes that may run, 32 bytes of hex each, separated by commas',
      default: 'none: any',
      production: 'its absence, unless `GOVERNANCE_RPC` is set',
    }),
  ORIGIN_MEASUREMENTS: z
    .string()
    .transform(jsonOrNothing)
    .pipe(z.array(measurementsSchema).min(1))
    .optional()
    .register(SETTINGS, {
      meaning:
        'machines that may run it: a JSON list of `{"mrtd", "rtmr0", "rtmr1", "rtmr2"}`, 48 bytes of hex each',
      default: 'none: any',
      production: 'its absence',
    }),
  TCB_STATUSES: commaList
    .pipe(z.array(acceptedStatus).min(1))
    .default(['UpToDate'])
    .register(SETTINGS, {
      meaning:
        'what Intel may say of the platform, separated by commas. `Revoked` is refused everywhere',
    }),
  GOVERNANCE_RPC: z
    .url({ protocol: /^https?$/ })
    .optional()
    .register(SETTINGS, {
      meaning:
        'JSON-RPC of the chain whose contract at the app id says which compose hashes are allowed; asked at each verification where it is set',
      secret: 'when a key is in it',
      production: '`http`',
    }),
}

export type TrustSettings = z.infer<z.ZodObject<typeof trustSettings>>

/** Returns the settings that are missing or contradict each other, each with a message. */
export function misfits(settings: TrustSettings & { SVC_ENV: string }): [string, string][] {
  const { ORIGIN_TRUST, SIM_ROOT_SHA256, GOVERNANCE_RPC } = settings
  const found: [string, string][] = []
  if (ORIGIN_TRUST === 'simulated' && SIM_ROOT_SHA256 === undefined)
    found.push(['SIM_ROOT_SHA256', 'required: the one simulated root that is trusted'])
  if (ORIGIN_TRUST === 'hardware' && SIM_ROOT_SHA256 !== undefined)
    found.push(['SIM_ROOT_SHA256', 'only with ORIGIN_TRUST simulated'])
  if (settings.SVC_ENV !== 'production') return found

  if (ORIGIN_TRUST !== 'hardware') found.push(['ORIGIN_TRUST', 'production takes hardware alone'])
  if (settings.ORIGIN_APP_ID === undefined)
    found.push(['ORIGIN_APP_ID', 'production names the application'])
  if (settings.ORIGIN_MEASUREMENTS === undefined)
    found.push(['ORIGIN_MEASUREMENTS', 'production names the machines'])
  if (settings.ORIGIN_COMPOSE_HASHES === undefined && GOVERNANCE_RPC === undefined)
    found.push(['ORIGIN_COMPOSE_HASHES', 'production has these, or GOVERNANCE_RPC'])
  if (GOVERNANCE_RPC?.startsWith('http:'))
    found.push(['GOVERNANCE_RPC', 'production asks over https alone'])
  return found
}

/** Returns the policy of a verifier with these settings. */
export function policyOf(settings: TrustSettings): Policy {
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

function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
