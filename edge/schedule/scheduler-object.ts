import type { ScanCounts } from './scan.ts'
import type { TickReport } from './scanner-index.ts'

export interface SchedulerObject {
  /** The result is stored, so it survives an eviction of the object. */
  status(): Promise<ScanStatus>
  wake(): Promise<void>
  /** Holds the report in memory until the next scan. */
  reportTick(report: TickReport): Promise<void>
  takeTickReports(): Promise<TickReport[]>
}

export type ScanStatus = ScanCounts & {
  /** Time at which the last scan finished, in Unix milliseconds; undefined before the first scan. */
  endedAt: number | undefined
}
