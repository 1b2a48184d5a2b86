export type TriggerFailure =
  /** A field has a value that this kind of trigger does not accept. */
  | { reason: 'field'; field: string; problem: string; fix: string }
  /** The usage key is an account key, which a trigger must not hold. */
  | { reason: 'account_key' }
  | { reason: 'too_many_triggers'; max: number }
  /** This deployment has no node for the chain. */
  | { reason: 'chain_not_configured'; chain: string; configured: readonly string[] }
  /** The chain's nodes do not report the last safe or finalized block. */
  | { reason: 'no_such_finality'; chain: string; finality: string }

/** A rejected creation or change of a trigger. Nothing was stored. */
export class TriggerRefused extends Error {
  readonly failure: TriggerFailure
  constructor(failure: TriggerFailure) {
    super(failure.reason)
    this.name = 'TriggerRefused'
    this.failure = failure
  }
}
