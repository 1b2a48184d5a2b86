import type { Measurements, RuleName, RuleResult, TcbStatus, Verdict } from './policy.ts'
import type { Root } from './root.ts'

/** Uncompressed P-256 points, 65 bytes each. */
export type EvidenceKeys = {
  channel: Uint8Array
  storage: Uint8Array
  receipt: Uint8Array
  /** Unix milliseconds. After this time, nothing may be sealed to the channel key. */
  channelValidUntil: number
}

/**
 * Result of a verification. All fields except `verdict`, `rules` and `open` are set only if the rule `quote` passed.
 */
export type Report = {
  verdict: Verdict
  /** All seven rules, in order. */
  rules: RuleResult[]
  /** Sentences that state what the evidence does not prove. */
  open: string[]
  root: Pick<Root, 'kind' | 'spkiSha256' | 'name'> | undefined
  tcbStatus: TcbStatus | undefined
  /** Intel's advisories that apply to the platform. */
  advisoryIds: string[]
  /** Hex. */
  appId: string | undefined
  composeHash: string | undefined
  instanceId: string | undefined
  measurements: (Measurements & { rtmr3: string }) | undefined
  /** Set if the rules `quote` and `evidence files` passed. */
  keys: EvidenceKeys | undefined
}

/** Result of a rule that did not fail. A failing rule throws `CheckFailed`. */
export type Finding = {
  outcome: 'passed' | 'not_applicable'
  reason: string
  open?: string[]
}

export type { RuleName }
