/** Types for a verifier's policy and for the results of the verification rules. */

/** Platform TCB statuses, as Intel names them (`tcbStatus`), from best to worst. */
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

/** Measurements of the firmware, and of everything that it loaded before the application. Each is 48 bytes in hex. */
export type Measurements = { mrtd: string; rtmr0: string; rtmr1: string; rtmr2: string }

/** Roots of trust that the verifier accepts. `spkiSha256` is the SHA-256 (hex) of the root's SubjectPublicKeyInfo. */
export type RootPolicy =
  | { kind: 'intel' }
  /** Accepts exactly one simulated root. */
  | { kind: 'simulated'; spkiSha256: string }
  /**
   * Accepts Intel's root, and any root that is marked as simulated. The report shows which root was used. For manual
   * inspection only.
   */
  | { kind: 'any' }

export type Policy = {
  root: RootPolicy
  statuses: readonly TcbStatus[]
  /**
   * Measurements of the accepted machines. If absent, any machine is accepted, and the report lists this as unproven.
   */
  measurements?: readonly Measurements[]
  /** Accepted app ID, 20 bytes in hex. If absent, any app ID is accepted. */
  appId?: string
  /** Accepted compose hashes, 32 bytes in hex each. If absent, any compose hash is accepted. */
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
  /** Number of the rule, starting at 1. */
  rule: number
  name: RuleName
  outcome: 'passed' | 'failed' | 'not_applicable'
  /** Human-readable sentence that states what was verified, or why the rule failed. */
  reason: string
}

export type Verdict = 'HARDWARE' | 'SIMULATED' | 'FAILED'
