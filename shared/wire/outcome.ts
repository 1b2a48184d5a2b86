/** Outcome of an execution, as the origin stores it and as the edge and the origin forward it. */
import { z } from 'zod'
import { LOG_LEVELS, type LogLine } from '../log-line.ts'

export const logLineSchema = z.object({
  level: z.enum(LOG_LEVELS),
  at_ms: z.number(),
  text: z.string(),
})

const ended = {
  action_cid: z.string(),
  /** Wall-clock duration of the execution inside the sandbox, in milliseconds. */
  duration_ms: z.number(),
  /** Amount charged for the run in cents; 0 if the run failed. */
  charged_cents: z.int().min(0).default(0),
  logs: z.array(logLineSchema),
  /** Receipt signed by the origin (`shared/receipt.ts`). Absent if the result of the run is unknown. */
  receipt: z.string().optional(),
}

/**
 * Failure code of a run if the machine that executed it failed before it reported the outcome. The action may have run.
 */
export const ORIGIN_LOST = 'origin_lost'

export const outcomeSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), ...ended, response: z.unknown() }),
  z.object({
    status: z.literal('failed'),
    ...ended,
    /** Machine-readable failure code: `action_threw`, `action_timeout`, `out_of_memory`, `origin_lost`, ... */
    code: z.string(),
    message: z.string(),
    /** Stack trace of the action; empty if no stack trace is available. */
    stack: z.string(),
  }),
])
export type Outcome = z.infer<typeof outcomeSchema>

/**
 * Formats a failure as human-readable text: the stack if it contains the message, otherwise the message followed by the
 * stack.
 */
export function failureText(outcome: { message: string; stack: string }): string {
  if (outcome.stack === '') return outcome.message
  return outcome.stack.includes(outcome.message)
    ? outcome.stack
    : `${outcome.message}\n${outcome.stack}`
}

/** Joins the lines of console output into one text, as in the `logs` field of a `svc_action` response. */
export function logsText(logs: readonly LogLine[]): string {
  return logs.map((line) => line.text).join('\n')
}
