import type { ReplaysObject } from '../replays/replays-object.ts'
import type { ReportBatch } from './report.ts'

export interface ReportsObject extends ReplaysObject {
  /** Stores reports of a trigger. Idempotent: reports with known numbers are ignored. */
  report(batch: ReportBatch): Promise<void>
  /** Deletes everything that the object stores about a trigger. */
  forget(triggerId: string): Promise<void>
  /** Deletes everything. Called when an operator erases the user. */
  erase(): Promise<void>
}
