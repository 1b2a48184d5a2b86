export type AccountLinkFailure =
  /** The link, share or invitation does not exist, or the user has no access to it. */
  | { reason: 'unknown' }
  /** The key is an account key, which can do everything in its account and must not be stored. */
  | { reason: 'account_key' }
  | { reason: 'unknown_key' }
  | { reason: 'expired_key' }
  /** The new key of a link belongs to another account than the current one. */
  | { reason: 'other_account' }
  | { reason: 'too_many_links'; max: number }
  | { reason: 'too_many_shares'; max: number }
  | { reason: 'already_shared' }
  /** The owner cannot share an account with themselves. */
  | { reason: 'own_address' }
  /** No linked account can be used for the operation. */
  | { reason: 'account_key_required' }
  /** The share's scope does not include the operation. */
  | { reason: 'scope'; scope: string }

/** A request about a linked account was rejected. Nothing was changed. */
export class AccountLinkError extends Error {
  override readonly name = 'AccountLinkError'
  readonly failure: AccountLinkFailure
  constructor(failure: AccountLinkFailure) {
    super(failure.reason)
    this.failure = failure
  }
}
