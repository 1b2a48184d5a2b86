import type { ScanCounts } from './scan.ts'

export interface SchedulerObject {
  /** Result of the last completed scan. It is stored, so it survives eviction of the object. */
  status(): Promise<ScanStatus>
  /** Sets the alarm if it is not set, or if a clock change has left it too far away. */
  wake(): Promise<void>
}

export type ScanStatus = ScanCounts & {
  /** Unix milliseconds; undefined before the first scan. */
  endedAt: number | undefined
}
