/** The account header reloads the balance after a run or a payment. */
const listeners = new Set<() => void>()

export function notifyBalanceChanged(): void {
  for (const listener of listeners) listener()
}

/** Returns a function that removes the listener. */
export function onBalanceChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
