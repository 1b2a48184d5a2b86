import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { RecentEvent } from '../../shared/wire/preview.ts'
import { compileOptions, evaluateAll } from '../expressions/option-expressions.ts'
import { type Firing, runParams } from './firing.ts'
import { maskHeaders, type TriggerRow } from './records.ts'
import type { RunStore } from './run-store.ts'
import { readPage } from './run-pages.ts'

const EVENTS_MAX = 25
/** Parsing more would delay the trigger's own events. */
const BYTES_MAX = 2 * 1024 * 1024

/**
 * Evaluates expressions on the trigger's latest events, newest first. Test runs and replays are omitted.
 * @throws {InvalidOptionError} if an expression is invalid
 */
export async function evaluateRecentEvents(
  { sql, store }: { sql: SqlStorage; store: RunStore },
  { triggerId, prunedThrough }: TriggerRow,
  options: TriggerOptions,
): Promise<RecentEvent[]> {
  const expressions = await compileOptions(options)
  const events: RecentEvent[] = []
  let bytes = 0
  for (const run of readPage(sql, { limit: EVENTS_MAX }, prunedThrough).runs) {
    bytes += run.bytes
    if (bytes > BYTES_MAX) break
    const row = store.runWithoutBody(run.sequence)
    if (!row || row.test || row.replayOf !== null) continue
    const { firing, body } = store.input(run.sequence)
    // Values and errors of expressions can contain headers, so they are masked as in the run history.
    const stored = JSON.parse(firing) as Firing
    // Expressions are evaluated on single events, before events become a batch.
    if (stored.source === 'webhook_batch') continue
    const masked = stored.source === 'webhook' ? maskHeaders(stored) : stored
    const params = runParams(store.revision(row.revision), masked, body)
    events.push({
      run_id: triggerId + row.suffix,
      queued_at: new Date(row.queuedAt).toISOString(),
      expressions: evaluateAll(expressions, params),
    })
  }
  return events
}
