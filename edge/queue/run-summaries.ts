import { RESULT } from './run-result.ts'
import type { LastFailure, RunSummary } from './trigger-snapshot.ts'

const TEXT_CHARACTERS = 300

/** Maximum size of a body that is parsed to find the block number of a log. The JSON of a log is normally smaller. */
const LOG_MAX_BYTES = 64 * 1024

/**
 * Maximum size of a result that is parsed. For a larger result, the summary contains the first characters of the stored
 * JSON. Parsing 25 of the largest results takes half a second. Each open page would block the object for that long
 * every few seconds, and delay the intake of the trigger's events.
 */
const PARSED_MAX_BYTES = 64 * 1024

/** Beginning of a serialized `RunResult`, in which the response is the first field. */
const RESULT_PREFIX = '{"response":'

type Row = Omit<RunSummary, 'test' | 'isReplay' | 'reorged'> & {
  test: number
  isReplay: number
  reorged: number
}

/**
 * Reads the summaries of runs, newest first. SQLite extracts the text from the results, so that only the displayed part
 * is loaded.
 */
export function readRunSummaries(
  sql: Pick<SqlStorage, 'exec'>,
  sequences: readonly number[],
): RunSummary[] {
  const rows = sql
    .exec<Row>(
      `SELECT suffix, status, queued_at AS queuedAt, started_at AS startedAt, finished_at AS finishedAt,
         next_attempt_at AS nextAttemptAt, waiting_for AS waitingFor, attempt, test,
         replay_of IS NOT NULL AS isReplay, reorged, body_bytes AS bodyBytes,
         json_extract(firing, '$.source') AS source, json_extract(firing, '$.scheduledAt') AS scheduledAt,
         json_extract(firing, '$.every') AS every, json_extract(firing, '$.of') AS firedBy,
         CASE WHEN json_extract(firing, '$.source') = 'chain_event' AND octet_length(body) <= ${LOG_MAX_BYTES}
           THEN json_extract(CAST(body AS TEXT), '$.blockNumber') END AS blockNumber,
         (SELECT CASE WHEN status = 'success' AND octet_length(result) > ${PARSED_MAX_BYTES}
              AND substr(result, 1, ${RESULT_PREFIX.length}) = '${RESULT_PREFIX}'
            THEN substr(result, ${RESULT_PREFIX.length + 1}, ${TEXT_CHARACTERS})
            ELSE substr(coalesce(json_extract(result, '$.error'), result -> '$.response'), 1, ${TEXT_CHARACTERS}) END
            FROM (SELECT ${RESULT} AS result)) AS text
       FROM runs WHERE sequence IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC`,
      JSON.stringify(sequences),
    )
    .toArray()
  return rows.map((row) => ({
    ...row,
    test: row.test === 1,
    isReplay: row.isReplay === 1,
    reorged: row.reorged === 1,
  }))
}

/** Number of runs after a failure that are searched for a success, because thousands of runs may be queued. */
const RUNS_SEARCHED = 100

export function readLastFailure(sql: Pick<SqlStorage, 'exec'>): LastFailure | null {
  const [newest] = sql
    .exec<{ sequence: number }>(
      `SELECT sequence FROM runs WHERE status = 'failed' ORDER BY sequence DESC LIMIT 1`,
    )
    .toArray()
  if (!newest) return null
  const { sequence } = newest
  const [run] = readRunSummaries(sql, [sequence])
  const later = sql
    .exec(
      `SELECT 1 FROM runs WHERE sequence > ? AND sequence <= ? AND status = 'success' LIMIT 1`,
      sequence,
      sequence + RUNS_SEARCHED,
    )
    .toArray()
  const { suffix, text, finishedAt, queuedAt } = run!
  return { suffix, text, finishedAt: finishedAt ?? queuedAt, isLatest: later.length === 0 }
}
