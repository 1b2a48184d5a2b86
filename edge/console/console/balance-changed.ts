/**
 * Signals that the balance has changed outside of `perform`, by a run or a payment. The console's header then reloads
 * it.
 */
const listeners = new Set<() => void>()

export function balanceChanged(): void {
  for (const listener of listeners) listener()
}

/** @returns a function that removes the listener */
export function onBalanceChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
