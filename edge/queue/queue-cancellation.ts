/**
 * Ends queued runs that were cancelled, or that waited too long for the origin. Each method is synchronous and runs in
 * one transaction.
 */
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { PendingReports } from '../reports/pending-reports.ts'
import type { RunResult, RunRow } from './records.ts'
import type { RunKeys } from './run-keys.ts'
import { QUEUED } from './schema.ts'

export type EndedRun = Pick<RunRow, 'sequence' | 'suffix' | 'bodyBytes' | 'startedAt'> & {
  status: 'success' | 'failed'
  finishedAt: number
  isTest: boolean
  /** Absent if the run was not executed. */
  output?: { attempt: number; logs: readonly LogLine[] }
}

type EndedRow = Omit<EndedRun, 'status' | 'finishedAt' | 'isTest'> & { test: number }

/**
 * Error texts: `notStarted` for a run that never started, `inDoubt` for a run that an earlier attempt may have started.
 */
type Reason = { notStarted: string; inDoubt: string }

const CANCELLED: Reason = {
  notStarted: 'cancelled: The run was cancelled while it was queued; the action was not run.',
  inDoubt:
    'cancelled: The run was cancelled while it was queued. The connection to the origin broke during an earlier attempt: the action may have run.',
}

const EXPIRED: Reason = {
  notStarted:
    'origin_away: The origin accepted no runs for 24 hours; the action was not run. Replay the run when the origin is available again.',
  inDoubt:
    'origin_away: The origin accepted no runs for 24 hours. The connection broke during an earlier attempt: the action may have run.',
}

export class QueueCancellation {
  readonly #storage: DurableObjectStorage
  readonly #reports: PendingReports
  readonly #keys: RunKeys

  constructor(storage: DurableObjectStorage, reports: PendingReports, keys: RunKeys) {
    this.#storage = storage
    this.#reports = reports
    this.#keys = keys
  }

  cancel(sequence: number, now: number): EndedRun | undefined {
    return this.#end(CANCELLED, now, 'sequence = ?', sequence)[0]
  }

  purge(now: number): EndedRun[] {
    return this.#end(CANCELLED, now, '1')
  }

  /** Fails the runs queued at or before `queuedBy`, because the origin has been unavailable for too long. */
  expire(queuedBy: number, now: number): EndedRun[] {
    return this.#storage.transactionSync(() => {
      const ended = this.#end(EXPIRED, now, 'queued_at <= ?', queuedBy)
      for (const { sequence } of ended) this.#reports.addFailedRun(sequence, EXPIRED.notStarted)
      return ended
    })
  }

  #end(reason: Reason, now: number, condition: string, ...values: SqlStorageValue[]): EndedRun[] {
    const { sql } = this.#storage
    const results = [reason.notStarted, reason.inDoubt].map(resultText)
    return this.#storage.transactionSync(() => {
      const ended = sql.exec(
        `UPDATE runs SET status = 'failed', finished_at = ?,
           result = CASE WHEN in_doubt_since IS NULL THEN ? ELSE ? END, next_attempt_at = NULL,
           requeued_at = NULL, waiting_for = NULL, usage_key = NULL, in_doubt_since = NULL
         WHERE ${QUEUED} AND ${condition}
         RETURNING sequence, suffix, body_bytes AS bodyBytes, started_at AS startedAt, test`,
        now,
        ...results,
        ...values,
      )
      const facts = { status: 'failed', finishedAt: now } as const
      const runs = ended.toArray() as unknown as EndedRow[]
      this.#keys.end(runs.map(({ sequence }) => sequence))
      return runs.map(({ test, ...run }) => ({ ...run, ...facts, isTest: test === 1 }))
    })
  }
}

function resultText(error: string): string {
  const result: RunResult = { response: null, error, logs: [], charged_cents: 0 }
  return JSON.stringify(result)
}
