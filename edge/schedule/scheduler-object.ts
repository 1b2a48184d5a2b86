/** RPC interface of the schedule scanner's Durable Object. */
import type { Scanned } from './scan.ts'

export interface SchedulerObject {
  /** Returns the result of the last completed scan. The result is stored, so it survives eviction of the object. */
  status(): Promise<ScanStatus>
  /** Sets the scanner's alarm if it is not set, or if a clock change has left it too far away. */
  wake(): Promise<void>
}

export type ScanStatus = Scanned & {
  /** Time at which the last scan finished, in Unix milliseconds; undefined before the first scan. */
  endedAt: number | undefined
}
