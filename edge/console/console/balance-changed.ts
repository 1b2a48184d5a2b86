/** Notifies listeners that a run or a payment has changed the balance. The account header then reloads the balance. */
const listeners = new Set<() => void>()

export function balanceChanged(): void {
  for (const listener of listeners) listener()
}

/**
 * Adds a listener for changes of the balance.
 * @returns a function that removes the listener
 */
export function onBalanceChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
