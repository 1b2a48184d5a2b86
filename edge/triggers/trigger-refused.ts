export type TriggerFailure =
  /** A field has a value that is not allowed for this kind of trigger. */
  | { reason: 'field'; field: string; problem: string; fix: string }
  /** The given key is an account key, which must not be stored with a trigger. */
  | { reason: 'account_key' }
  | { reason: 'too_many_triggers'; max: number }
  /** This deployment has no node for the requested chain. */
  | { reason: 'chain_not_configured'; chain: string; configured: readonly string[] }
  /** The chain's nodes do not report the latest safe or finalized block, so the requested finality is not available. */
  | { reason: 'no_such_finality'; chain: string; finality: string }

/** Thrown if the creation or a change of a trigger is rejected. Nothing was stored. */
export class TriggerRefused extends Error {
  readonly failure: TriggerFailure
  constructor(failure: TriggerFailure) {
    super(failure.reason)
    this.name = 'TriggerRefused'
    this.failure = failure
  }
}
