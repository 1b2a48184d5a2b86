/** Which origins the edge trusts, as settings of the Worker (`docs/configuration.md` lists each). */
import { z } from 'zod'
import { type Policy, TCB_STATUSES } from '../../shared/attestation/policy.ts'

const hex = (bytes: number) =>
  z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`), `lower-case hex of ${bytes} bytes`)

const measurementsSchema = z.strictObject({
  mrtd: hex(48),
  rtmr0: hex(48),
  rtmr1: hex(48),
  rtmr2: hex(48),
})

/** A revoked platform's keys are in somebody's hands: no operator may take it for good. */
const acceptedStatus = z.enum(TCB_STATUSES).exclude(['Revoked'])

const commaList = z.string().transform((text) => text.split(',').map((entry) => entry.trim()))

export const trustShape = {
  /** `hardware`: a quote under Intel's root. `simulated`: one under the root that `SIM_ROOT_SHA256` names. */
  ORIGIN_TRUST: z.enum(['hardware', 'simulated']),
  /** SHA-256 (hex) of the simulated root's SubjectPublicKeyInfo. */
  SIM_ROOT_SHA256: hex(32).optional(),
  /** The application that the origin has to be; dstack's `app_id`. */
  ORIGIN_APP_ID: hex(20).optional(),
  /** Compose hashes that may run, comma separated. */
  ORIGIN_COMPOSE_HASHES: commaList.pipe(z.array(hex(32)).min(1)).optional(),
  /** Machines that may run it: a JSON list of `{mrtd, rtmr0, rtmr1, rtmr2}`. */
  ORIGIN_MEASUREMENTS: z
    .string()
    .transform(jsonOrNothing)
    .pipe(z.array(measurementsSchema).min(1))
    .optional(),
  /** What Intel may say of the platform, comma separated. */
  TCB_STATUSES: commaList.pipe(z.array(acceptedStatus).min(1)).default(['UpToDate']),
  /** JSON-RPC of the chain that has the governance contract; where it is set, its word is asked for each time. */
  GOVERNANCE_RPC: z.url({ protocol: /^https?$/ }).optional(),
}

export type TrustSettings = z.infer<z.ZodObject<typeof trustShape>>

/** What the settings lack or have too much of, each with its name; none where they fit each other. */
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

/** What a verifier of these settings accepts. */
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
