export type TriggerRejection =
  | { reason: 'field'; field: string; problem: string; fix: string }
  /** The usage key of the request is an account key, which must not be stored with a trigger. */
  | { reason: 'account_key' }
  | { reason: 'too_many_triggers'; max: number }
  | { reason: 'chain_not_configured'; chain: string; configured: readonly string[] }
  /** An operator suspended the trigger, so its owner cannot enable or disable it. */
  | { reason: 'suspended' }
  /** The chain's nodes do not report the latest safe or finalized block. */
  | { reason: 'no_such_finality'; chain: string; finality: string }

/** A request to create or change a trigger was rejected. Nothing was stored. */
export class TriggerRejectedError extends Error {
  readonly failure: TriggerRejection
  constructor(failure: TriggerRejection) {
    super(failure.reason)
    this.name = 'TriggerRejectedError'
    this.failure = failure
  }
}
