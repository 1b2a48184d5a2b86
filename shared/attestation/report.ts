import type { Measurements, RuleName, RuleResult, TcbStatus, Verdict } from './policy.ts'
import type { TrustRoot } from './root.ts'

/** Uncompressed P-256 points of 65 bytes. */
export type EvidenceKeys = {
  channel: Uint8Array
  storage: Uint8Array
  receipt: Uint8Array
  /** Unix milliseconds. After this time, no data may be encrypted to the channel key. */
  channelValidUntil: number
}

/** Fields other than `verdict`, `rules` and `open` are set only if the rule `quote` passed. */
export type Report = {
  verdict: Verdict
  /** All seven, in order. */
  rules: RuleResult[]
  /** Sentences that state what the evidence does not prove. */
  open: string[]
  root: Pick<TrustRoot, 'kind' | 'spkiSha256' | 'name'> | undefined
  tcbStatus: TcbStatus | undefined
  /** Intel's security advisories that apply to the platform. */
  advisoryIds: string[]
  /** Proven by the quote, in hex. */
  appId: string | undefined
  composeHash: string | undefined
  instanceId: string | undefined
  measurements: (Measurements & { rtmr3: string }) | undefined
  /** Undefined unless the rules `quote` and `evidence files` passed. */
  keys: EvidenceKeys | undefined
}

/** A rule that fails throws `CheckFailedError` instead. */
export type Finding = {
  outcome: 'passed' | 'not_applicable'
  reason: string
  open?: string[]
}

export type { RuleName }
