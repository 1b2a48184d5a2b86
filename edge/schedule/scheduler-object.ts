import type { ScanCounts } from './scan.ts'

export interface SchedulerObject {
  /** The result is stored, so it survives an eviction of the object. */
  status(): Promise<ScanStatus>
  wake(): Promise<void>
}

export type ScanStatus = ScanCounts & {
  /** Time at which the last scan finished, in Unix milliseconds; undefined before the first scan. */
  endedAt: number | undefined
}
