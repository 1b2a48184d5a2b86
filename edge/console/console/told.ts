/** What the console tells the person of what is under way: one line, which a screen reader hears. */

export type Progress = {
  /** As "Create a wallet". */
  what: string
  state: 'under way' | 'done' | 'failed'
  /** Of what is under way: what is waited for, as "Confirm it in your wallet". */
  step?: string
  failure?: unknown
}

let latest: Progress | undefined
const listeners = new Set<(progress: Progress | undefined) => void>()

export function tell(progress: Progress | undefined): void {
  latest = progress
  for (const listener of listeners) listener(progress)
}

/** Says which step of what is under way is waited for; nothing where nothing is. */
export function tellStep(step: string): void {
  if (latest?.state === 'under way') tell({ ...latest, step })
}

/** @returns how to listen no more */
export function onTold(listener: (progress: Progress | undefined) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
