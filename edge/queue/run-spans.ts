import type { RunTraces } from '../telemetry/run-traces.ts'
import type { EndedRun } from './queue-cancellation.ts'
import type { RunRow } from './records.ts'
import type { TriggerState } from './trigger-state.ts'

/** Records the spans of a run that has ended. Reads its row only if the run's trace is sampled. */
export function recordRunSpans(
  { sequence, suffix, status, startedAt, finishedAt }: EndedRun,
  { sql, state, traces }: { sql: SqlStorage; state: TriggerState; traces: RunTraces },
): void {
  const trigger = state.current
  if (!trigger) return
  const runId = trigger.triggerId + suffix
  if (!traces.isRecorded(runId)) return
  const [row] = sql
    .exec<Pick<RunRow, 'queuedAt' | 'attempt'>>(
      'SELECT queued_at AS queuedAt, attempt FROM runs WHERE sequence = ?',
      sequence,
    )
    .toArray()
  if (row) traces.recordRun({ runId, kind: trigger.kind, status, startedAt, finishedAt, ...row })
}
