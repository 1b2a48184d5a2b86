/** Selects transactions by their parties, selector and value. All hex values are lower case. */
export type TransactionFilter = {
  /** Allowed recipients. If absent, any recipient and the creation of contracts are allowed. */
  to?: readonly string[]
  from?: readonly string[]
  /** Allowed first four bytes of the input. */
  selectors?: readonly string[]
  /** Minimum value in wei, as decimal digits. */
  minValue?: string
}

export type Transaction = {
  hash: string
  index: number
  from: string
  /** Null if the transaction creates a contract. */
  to: string | null
  /** In wei, as decimal digits. */
  value: string
  input: string
}

type Parties = Pick<Transaction, 'from' | 'to'>

export function matchesTransaction(
  { to, from, selectors, minValue }: TransactionFilter,
  transaction: Parties & Pick<Transaction, 'value' | 'input'>,
): boolean {
  return (
    (to === undefined || (transaction.to !== null && to.includes(transaction.to))) &&
    (from === undefined || from.includes(transaction.from)) &&
    (selectors === undefined || selectors.includes(selectorOf(transaction.input) ?? '')) &&
    (minValue === undefined || BigInt(transaction.value) >= BigInt(minValue))
  )
}

/** Returns the first four bytes of the input, or null if it is shorter. */
export function selectorOf(input: string): string | null {
  return input.length >= 10 ? input.slice(0, 10) : null
}

/**
 * Finds the transactions that match at least one of many filters. The time for a transaction depends only on the number
 * of filters with its addresses.
 */
export class TransactionSelection {
  readonly #byRecipient: ReadonlyMap<string, TransactionFilter[]>
  readonly #bySender: ReadonlyMap<string, TransactionFilter[]>

  constructor(filters: readonly TransactionFilter[]) {
    this.#byRecipient = filtersByAddress(filters, ({ to }) => to ?? [])
    this.#bySender = filtersByAddress(filters, ({ to, from }) => (to ? [] : (from ?? [])))
  }

  /** Cheap check before the rest of a transaction is parsed. Returns false if no filter can match. */
  mayMatch({ from, to }: Parties): boolean {
    return this.#bySender.has(from) || (to !== null && this.#byRecipient.has(to))
  }

  matches(transaction: Transaction): boolean {
    const { from, to } = transaction
    const filters = [
      ...(this.#bySender.get(from) ?? []),
      ...(to === null ? [] : (this.#byRecipient.get(to) ?? [])),
    ]
    return filters.some((filter) => matchesTransaction(filter, transaction))
  }
}

function filtersByAddress(
  filters: readonly TransactionFilter[],
  addressesOf: (filter: TransactionFilter) => readonly string[],
): Map<string, TransactionFilter[]> {
  const found = new Map<string, TransactionFilter[]>()
  for (const filter of filters)
    for (const address of addressesOf(filter)) {
      const same = found.get(address)
      if (same) same.push(filter)
      else found.set(address, [filter])
    }
  return found
}
