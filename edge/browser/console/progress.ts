import { Listeners } from './listeners.ts'

export type Progress = {
  what: string
  state: 'in progress' | 'done' | 'failed'
  /** Step that is pending, such as "Confirm it in your wallet". */
  step?: string
  failure?: unknown
}

let latest: Progress | undefined
export const progressListeners = new Listeners<Progress | undefined>()

export function reportProgress(progress: Progress | undefined): void {
  latest = progress
  progressListeners.notify(progress)
}

export function reportStep(step: string): void {
  if (latest?.state === 'in progress') reportProgress({ ...latest, step })
}
