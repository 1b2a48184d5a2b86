/** Policy of a verifier, and the results of its rules. */

/** Platform status, in Intel's terms (`tcbStatus`), from best to worst. */
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

/** Hex, 48 bytes each: the firmware, and everything it loaded before the application. */
export type Measurements = { mrtd: string; rtmr0: string; rtmr1: string; rtmr2: string }

/** Accepted roots of trust. `spkiSha256` is the SHA-256 (hex) of the root's SubjectPublicKeyInfo. */
export type RootPolicy =
  | { kind: 'intel' }
  /** Exactly one simulated root. */
  | { kind: 'simulated'; spkiSha256: string }
  /** Intel's root, or any root marked as simulated; the report states which. For inspection by people. */
  | { kind: 'any' }

export type Policy = {
  root: RootPolicy
  statuses: readonly TcbStatus[]
  /** Accepted machines. If absent, any machine is accepted, and the report lists this as open. */
  measurements?: readonly Measurements[]
  /** Hex, 20 bytes. Any if absent. */
  appId?: string
  /** Hex, 32 bytes each. Any if absent. */
  composeHashes?: readonly string[]
}

/** The seven verification rules, in order (docs/attestation.md). */
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

export type RuleResult = {
  /** Starts at 1. */
  rule: number
  name: RuleName
  outcome: 'passed' | 'failed' | 'not_applicable'
  /** A sentence for people that states what holds, or why the rule failed. */
  reason: string
}

export type Verdict = 'HARDWARE' | 'SIMULATED' | 'FAILED'
