import { z } from 'zod'
import { RUN_WAIT_MAX_S } from '../limits.ts'
import { integerText } from './fields.ts'
import { logLineSchema } from './outcome.ts'

export const tailQuery = z.object({
  after: z
    .string()
    .max(64)
    .optional()
    .describe('`cursor` of the previous response. Without it, the response is immediate.'),
  wait: integerText
    .pipe(z.number().min(0).max(RUN_WAIT_MAX_S))
    .default(0)
    .describe('Maximum time to wait for something new, in seconds.'),
})

export const tailResponse = z.object({
  cursor: z.string(),
  changed: z
    .boolean()
    .describe(
      'True if runs were queued or have ended since `after`, or if this is unknown because the service restarted: list the runs again.',
    ),
  lines: z
    .array(
      z.object({
        run_id: z.string(),
        attempt: z.int().describe('Attempt of the run that printed the line.'),
        index: z.int().describe('Position of the line in the output of the attempt.'),
        ...logLineSchema.shape,
      }),
    )
    .describe(
      'Console output since `after`, also of runs in progress. Lines can be missing or repeated; the record of a run that has ended has all of them.',
    ),
})
export type Tail = z.infer<typeof tailResponse>
