import type { StorageLimit } from './unpaid-storage.ts'

/** A transaction with the same identity was requested with other content. */
export class TransactionIdentityError extends Error {
  override readonly name = 'TransactionIdentityError'
  /** ID of the stored transaction. */
  readonly id: string

  constructor(id: string) {
    super(`the same key or step was used for another transaction, ${id}`)
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
