/** Progress of the current operation, which is shown as a line that screen readers announce. */

export type Progress = {
  /** Name of the operation, such as "Create a wallet". */
  what: string
  state: 'under way' | 'done' | 'failed'
  /** Step for which the operation is waiting, such as "Confirm it in your wallet". */
  step?: string
  failure?: unknown
}

let latest: Progress | undefined
const listeners = new Set<(progress: Progress | undefined) => void>()

export function tell(progress: Progress | undefined): void {
  latest = progress
  for (const listener of listeners) listener(progress)
}

/** Updates the step of the operation in progress. Does nothing if no operation is in progress. */
export function tellStep(step: string): void {
  if (latest?.state === 'under way') tell({ ...latest, step })
}

/**
 * Adds a listener for the progress of operations.
 * @returns a function that removes the listener
 */
export function onTold(listener: (progress: Progress | undefined) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
