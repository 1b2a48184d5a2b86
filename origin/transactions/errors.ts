import type { StorageLimit } from './unpaid-storage.ts'

/** A transaction with the same identity was requested with other content. */
export class TransactionIdentityError extends Error {
  override readonly name = 'TransactionIdentityError'
  /** ID of the stored transaction. */
  readonly id: string

  constructor(id: string) {
    super(
      `this call of the run, or its idempotencyKey, has sent another transaction before, ${id}; read it with Svc.Actions.transaction, or send this one with another idempotencyKey`,
    )
    this.id = id
  }
}

/** A limit on the stored transactions of a wallet or an account is reached. */
export class TooManyTransactionsError extends Error {
  override readonly name = 'TooManyTransactionsError'
  /** `open`: open transactions of the wallet on the chain. */
  readonly limit: 'open' | StorageLimit

  constructor(limit: 'open' | StorageLimit, message: string) {
    super(message)
    this.limit = limit
  }
}
