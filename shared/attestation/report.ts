import type { Measurements, RuleName, RuleResult, TcbStatus, Verdict } from './policy.ts'
import type { Root } from './root.ts'

/** Uncompressed points of P-256, 65 bytes each. */
export type EvidenceKeys = {
  channel: Uint8Array
  storage: Uint8Array
  receipt: Uint8Array
  /** Unix milliseconds: from then on nothing may be sealed to the channel key. */
  channelValidUntil: number
}

/** What a verifier says of evidence. All but verdict, rules and `open` are there where the rule `quote` passed. */
export type Report = {
  verdict: Verdict
  /** All seven, in the specification's order. */
  rules: RuleResult[]
  /** Sentences: what the evidence leaves open. */
  open: string[]
  root: Pick<Root, 'kind' | 'spkiSha256' | 'name'> | undefined
  tcbStatus: TcbStatus | undefined
  /** Intel's, of what is known to be wrong with the platform. */
  advisoryIds: string[]
  /** Hex. */
  appId: string | undefined
  composeHash: string | undefined
  instanceId: string | undefined
  measurements: (Measurements & { rtmr3: string }) | undefined
  /** Where the rules `quote` and `evidence files` passed. */
  keys: EvidenceKeys | undefined
}

/** What one rule found; a rule that does not hold throws `CheckFailed`. */
export type Finding = {
  outcome: 'passed' | 'not_applicable'
  reason: string
  open?: string[]
}

export type { RuleName }
