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

export class TooManyTransactionsError extends Error {
  override readonly name = 'TooManyTransactionsError'
  readonly address: string
  readonly max: number

  constructor(address: string, max: number) {
    super(`the wallet ${address} has ${max} open transactions on this chain, which is the maximum`)
    this.address = address
    this.max = max
  }
}
