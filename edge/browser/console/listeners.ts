import { useEffect, useState } from 'preact/hooks'

export class Listeners<Value = void> {
  readonly #listeners = new Set<(value: Value) => void>()

  add(listener: (value: Value) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(value: Value): void {
    for (const listener of this.#listeners) listener(value)
  }
}

export function useChanges(changes: Listeners): number {
  const [count, setCount] = useState(0)
  useEffect(() => changes.add(() => setCount((before) => before + 1)), [])
  return count
}

/** Listeners that are notified after a run or a payment. The account header then reloads the balance. */
export const balanceChanges = new Listeners()
