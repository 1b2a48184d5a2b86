/**
 * Runs of one trigger that the edge sends to the origin in one sealed request. The plaintext is a frame
 * (`sealed-http.ts`): the sources and then the params of all runs as raw bytes, and a JSON head with their sizes. The
 * response is a stream with one message for each run, in the order in which the runs end.
 */
import { z } from 'zod'
import { EXECUTE_WAIT_MS } from '../limits.ts'
import { traceparentSchema } from './traceparent.ts'
import {
  executeResponseSchema,
  replayProtection,
  runIdSchema,
  storedUsageKeySchema,
} from './sealed.ts'

export const SEALED_RUNS_PATH = '/sealed/runs'

export const RUNS_PER_REQUEST_MAX = 16

/** Maximum number of attempts, which no run reaches within a day, and which fits the 4-byte column of the database. */
const ATTEMPTS_MAX = 1_000_000

const bytes = z.int().min(0)

const runSchema = z.object({
  /** The run is executed at most once under its ID. */
  id: runIdSchema,
  attempt: z.int().min(1).max(ATTEMPTS_MAX),
  /**
   * True to execute the run again if an earlier attempt ended as `origin_lost`: at least once instead of at most once.
   */
  retry_lost: z.boolean().optional(),
  /** Index of the source. */
  source: z.int().min(0),
  params_bytes: bytes,
  /** `traceparent` of the span that sends the run. Absent if the edge does not export traces. */
  trace: traceparentSchema.optional(),
})

export const runsRequestSchema = z.object({
  ...replayProtection,
  credential: storedUsageKeySchema,
  /** Wait after the start of each run. A run that takes longer is reported as `running`. */
  wait_ms: z.int().min(0).max(EXECUTE_WAIT_MS),
  /** Sizes of the sources. Runs of the same revision share a source. */
  source_bytes: z.array(bytes).min(1).max(RUNS_PER_REQUEST_MAX),
  runs: z.array(runSchema).min(1).max(RUNS_PER_REQUEST_MAX),
})
export type RunsRequest = z.infer<typeof runsRequestSchema>

export const runsMessageSchema = z.object({
  /** Absent if the response applies to all runs that have no response yet. */
  run_id: z.string().optional(),
  response: executeResponseSchema,
})
export type RunsMessage = z.infer<typeof runsMessageSchema>
