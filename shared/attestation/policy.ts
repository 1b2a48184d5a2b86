/** Intel's names for TCB statuses (`tcbStatus`), from best to worst. */
export const TCB_STATUSES = [
  'UpToDate',
  'SWHardeningNeeded',
  'ConfigurationNeeded',
  'ConfigurationAndSWHardeningNeeded',
  'OutOfDate',
  'OutOfDateConfigurationNeeded',
  'Revoked',
] as const
export type TcbStatus = (typeof TCB_STATUSES)[number]
export type Tcb = { status: TcbStatus; advisoryIds: string[] }

/** Measurements of the firmware, and of everything that was loaded before the application. 48 bytes each, in hex. */
export type Measurements = { mrtd: string; rtmr0: string; rtmr1: string; rtmr2: string }

/** Accepted roots of trust. `spkiSha256` is the SHA-256 (hex) of the root's SubjectPublicKeyInfo. */
export type RootPolicy =
  | { kind: 'intel' }
  /** Policy that accepts exactly one simulated root. */
  | { kind: 'simulated'; spkiSha256: string }
  /** Policy that accepts Intel's root, and any root that is marked as simulated. For manual inspection only. */
  | { kind: 'any' }

export type Policy = {
  root: RootPolicy
  statuses: readonly TcbStatus[]
  /** Accepted measurements. If absent, any machine is accepted, and the report lists the machine as unproven. */
  measurements?: readonly Measurements[]
  /** Accepted app ID, 20 bytes in hex. If absent, any app ID is accepted. */
  appId?: string
  /** Accepted compose hashes, 32 bytes in hex each. If absent, any compose hash is accepted. */
  composeHashes?: readonly string[]
}

/** Verification rules in the order of docs/attestation.md. */
export const RULES = [
  'quote',
  'compose hash',
  'images',
  'evidence files',
  'certificate',
  'CAA',
  'governance',
] as const
export type RuleName = (typeof RULES)[number]

/** Rules that must pass before the keys in the evidence are used. */
export const RULES_FOR_KEYS: readonly RuleName[] = [
  'quote',
  'compose hash',
  'images',
  'evidence files',
]

export type RuleResult = {
  /** Number of the rule. The first rule is 1. */
  rule: number
  name: RuleName
  outcome: 'passed' | 'failed' | 'not_applicable'
  /** The verified fact, or the cause of the failure. */
  reason: string
}

export type Verdict = 'HARDWARE' | 'SIMULATED' | 'FAILED'
