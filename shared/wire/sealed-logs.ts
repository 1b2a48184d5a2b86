/** Console output of runs in progress, inside the sealed envelope. The outcome of a run contains all of its output again. */
import { z } from 'zod'
import { logLineSchema } from './outcome.ts'
import { replayProtection, runIdSchema, sealedRefusalSchema } from './sealed.ts'

export const SEALED_LOGS_PATH = '/sealed/logs'

/** Maximum number of runs in one request, and of lines of one run in a response. */
export const LOGS_RUNS_MAX = 16
export const LOGS_LINES_MAX = 1_000

export const logsRequestSchema = z.object({
  ...replayProtection,
  runs: z
    .array(
      z.object({
        run_id: runIdSchema,
        /** Number of lines that the caller already has. */
        from: z.int().min(0),
      }),
    )
    .min(1)
    .max(LOGS_RUNS_MAX),
})
export type LogsRequest = z.infer<typeof logsRequestSchema>

export const logsResponseSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** The next lines of each run that the responding process executes, by run ID. */
    lines: z.record(z.string(), z.array(logLineSchema)),
  }),
  sealedRefusalSchema,
])
export type LogsResponse = z.infer<typeof logsResponseSchema>
