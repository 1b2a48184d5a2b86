import type { Measurements, RuleResult, TcbStatus, Verdict } from './policy.ts'
import type { RootIdentity } from './root.ts'

/** Public keys in the evidence, as uncompressed P-256 points of 65 bytes. */
export type EvidenceKeys = {
  channel: Uint8Array
  storage: Uint8Array
  receipt: Uint8Array
  /** Unix milliseconds after which no data may be encrypted to the channel key. */
  channelValidUntil: number
}

/**
 * Result of a verification. Fields other than `verdict`, `rules` and `open` are set only if the rule `quote` passed.
 */
export type Report = {
  verdict: Verdict
  /** Results of all seven rules, in order. */
  rules: RuleResult[]
  /** Sentences that state what the evidence does not prove. */
  open: string[]
  root: RootIdentity | undefined
  tcbStatus: TcbStatus | undefined
  /** Intel's security advisories that apply to the platform. */
  advisoryIds: string[]
  /** App ID in hex, as proven by the quote. */
  appId: string | undefined
  composeHash: string | undefined
  instanceId: string | undefined
  measurements: (Measurements & { rtmr3: string }) | undefined
  /** Public keys in the evidence. Undefined unless the rules `quote` and `evidence files` passed. */
  keys: EvidenceKeys | undefined
}

/** Result of a rule that did not fail. A failing rule throws `CheckFailedError`. */
export type Finding = {
  outcome: 'passed' | 'not_applicable'
  reason: string
  open?: string[]
}
