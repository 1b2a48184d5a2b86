/** Why a trigger can not be made or changed as asked. */
export type TriggerFailure =
  /** A field is not what this kind of trigger takes. */
  | { reason: 'field'; field: string; problem: string; fix: string }
  /** The usage key is an account's own key, which no trigger may hold. */
  | { reason: 'account_key' }
  | { reason: 'too_many_triggers'; max: number }
  /** This deployment has no node of the chain. */
  | { reason: 'chain_not_configured'; chain: string; configured: readonly string[] }
  /** The chain's nodes do not say which block is the last one that is safe, or finalized. */
  | { reason: 'no_such_finality'; chain: string; finality: string }

/** Nothing was stored. */
export class TriggerRefused extends Error {
  readonly failure: TriggerFailure
  constructor(failure: TriggerFailure) {
    super(failure.reason)
    this.name = 'TriggerRefused'
    this.failure = failure
  }
}
