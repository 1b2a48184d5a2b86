import type { RunLine } from './trigger-glance.ts'

/** Characters of an error or a response: more than a line shows. */
const TEXT_CHARACTERS = 300

/** A log's JSON is smaller; other bodies are not looked into. */
const LOG_MAX_BYTES = 64 * 1024

/**
 * Of a larger result the beginning is cut out, and not looked for in its JSON: 25 of the largest are half a second of the
 * object that takes the trigger's events, every few seconds for each page that is open.
 */
const LOOKED_INTO_MAX_BYTES = 64 * 1024

/** `RunResult` as it is written: what a run returned comes first. */
const BEGINS = '{"response":'

type Row = Omit<RunLine, 'test' | 'isReplay' | 'reorged'> & {
  test: number
  isReplay: number
  reorged: number
}

/** The lines of a page. SQLite reads the results where they are, and gives out no more than is shown. */
export function runLines(sql: Pick<SqlStorage, 'exec'>, sequences: readonly number[]): RunLine[] {
  const rows = sql
    .exec<Row>(
      `SELECT suffix, status, queued_at AS queuedAt, started_at AS startedAt, finished_at AS finishedAt,
         next_attempt_at AS nextAttemptAt, waiting_for AS waitingFor, attempt, test,
         replay_of IS NOT NULL AS isReplay, reorged, body_bytes AS bodyBytes,
         json_extract(firing, '$.source') AS source, json_extract(firing, '$.scheduledAt') AS scheduledAt,
         CASE WHEN json_extract(firing, '$.source') = 'chain_event' AND octet_length(body) <= ${LOG_MAX_BYTES}
           THEN json_extract(CAST(body AS TEXT), '$.blockNumber') END AS blockNumber,
         (SELECT CASE WHEN status = 'success' AND octet_length(result) > ${LOOKED_INTO_MAX_BYTES}
              AND substr(result, 1, ${BEGINS.length}) = '${BEGINS}'
            THEN substr(result, ${BEGINS.length + 1}, ${TEXT_CHARACTERS})
            ELSE substr(coalesce(json_extract(result, '$.error'), result -> '$.response'), 1, ${TEXT_CHARACTERS}) END
            FROM results WHERE results.sequence = runs.sequence) AS text
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
