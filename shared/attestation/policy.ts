/** What a verifier accepts, and what it says of evidence. */

/** Of a platform, by Intel's own words (`tcbStatus`). */
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

/** Hex of 48 bytes each: the firmware, and what it loaded up to the application. */
export type Measurements = { mrtd: string; rtmr0: string; rtmr1: string; rtmr2: string }

/** Who may stand behind a quote. `spkiSha256`: SHA-256 (hex) of the root's SubjectPublicKeyInfo. */
export type RootPolicy =
  | { kind: 'intel' }
  /** One simulated root, and no other. */
  | { kind: 'simulated'; spkiSha256: string }
  /** Intel's, or a root that says itself that it is simulated; the report says which. For people who look. */
  | { kind: 'any' }

export type Policy = {
  root: RootPolicy
  statuses: readonly TcbStatus[]
  /** Machines that are accepted; absent, any, and the report says that it is open. */
  measurements?: readonly Measurements[]
  /** Hex of 20 bytes; absent, any. */
  appId?: string
  /** Hex of 32 bytes each; absent, any. */
  composeHashes?: readonly string[]
}

/** The seven rules of the specification, in its order. */
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
  /** From 1, as the specification counts. */
  rule: number
  name: RuleName
  outcome: 'passed' | 'failed' | 'not_applicable'
  /** A sentence for people: what holds, or what does not and why. */
  reason: string
}

export type Verdict = 'HARDWARE' | 'SIMULATED' | 'FAILED'
