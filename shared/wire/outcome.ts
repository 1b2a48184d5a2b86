/** Outcomes of runs. The origin stores them, and both the edge and the origin forward them. */
import { z } from 'zod'
import { LOG_LEVELS, type LogLine } from './log-line.ts'

export const logLineSchema = z.object({
  level: z.enum(LOG_LEVELS),
  at_ms: z.number(),
  text: z.string(),
})

const endedRunFields = {
  action_cid: z.string(),
  /** Wall-clock time of the run inside the sandbox. */
  duration_ms: z.number(),
  /** Charge for the run, in cents. 0 if the run failed. */
  charged_cents: z.int().min(0).default(0),
  logs: z.array(logLineSchema),
  /**
   * Receipt of the run, signed by the origin (`shared/receipts/receipt.ts`). Absent if the result of the run is
   * unknown.
   */
  receipt: z.string().optional(),
}

/** Error code of a run whose machine failed before it reported the outcome. The action may have run. */
export const ORIGIN_LOST = 'origin_lost'

export const outcomeSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), ...endedRunFields, response: z.unknown() }),
  z.object({
    status: z.literal('failed'),
    ...endedRunFields,
    /** Error code: `action_threw`, `action_timeout`, `out_of_memory`, `origin_lost`, ... */
    code: z.string(),
    message: z.string(),
    /** Stack trace of the error. Empty if no stack trace is available. */
    stack: z.string(),
  }),
])
export type Outcome = z.infer<typeof outcomeSchema>

/**
 * Returns the error text of a failed run: the stack if it contains the message, otherwise the message followed by the
 * stack.
 */
export function failureText(outcome: { message: string; stack: string }): string {
  if (outcome.stack === '') return outcome.message
  return outcome.stack.includes(outcome.message)
    ? outcome.stack
    : `${outcome.message}\n${outcome.stack}`
}

export function logsText(logs: readonly LogLine[]): string {
  return logs.map((line) => line.text).join('\n')
}
