/** Shown as a line that screen readers announce. */

export type Progress = {
  /** Operation, such as "Create a wallet". */
  what: string
  state: 'under way' | 'done' | 'failed'
  /** Pending step, such as "Confirm it in your wallet". */
  step?: string
  failure?: unknown
}

let latest: Progress | undefined
const listeners = new Set<(progress: Progress | undefined) => void>()

export function reportProgress(progress: Progress | undefined): void {
  latest = progress
  for (const listener of listeners) listener(progress)
}

/** Does nothing if no operation is in progress. */
export function reportStep(step: string): void {
  if (latest?.state === 'under way') reportProgress({ ...latest, step })
}

/** Returns a function that removes the listener. */
export function onProgress(listener: (progress: Progress | undefined) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
