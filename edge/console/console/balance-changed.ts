/** What has spent or added credit outside of `perform`: a run, a payment. The head of the console reads the balance again. */
const listeners = new Set<() => void>()

export function balanceChanged(): void {
  for (const listener of listeners) listener()
}

/** @returns how to listen no more */
export function onBalanceChanged(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
