/** Shown as a line that screen readers announce. */
import { Listeners } from './listeners.ts'

export type Progress = {
  /** Operation, such as "Create a wallet". */
  what: string
  state: 'in progress' | 'done' | 'failed'
  /** Pending step, such as "Confirm it in your wallet". */
  step?: string
  failure?: unknown
}

let latest: Progress | undefined
export const progressListeners = new Listeners<Progress | undefined>()

export function reportProgress(progress: Progress | undefined): void {
  latest = progress
  progressListeners.notify(progress)
}

/** Does nothing if no operation is in progress. */
export function reportStep(step: string): void {
  if (latest?.state === 'in progress') reportProgress({ ...latest, step })
}
