/** How an execution ended, as the origin stores it and both sides pass it on. */
import { z } from 'zod'
import { LOG_LEVELS, type LogLine } from '../log-line.ts'

export const logLineSchema = z.object({
  level: z.enum(LOG_LEVELS),
  at_ms: z.number(),
  text: z.string(),
})

const ended = {
  action_cid: z.string(),
  /** Milliseconds of wall clock inside the sandbox. */
  duration_ms: z.number(),
  /** What the run cost; nothing where it failed. */
  charged_cents: z.int().min(0).default(0),
  logs: z.array(logLineSchema),
  /** What the origin signed of it (`shared/receipt.ts`); absent where nobody knows what it did. */
  receipt: z.string().optional(),
}

/** The machine that executed a run went away before it told how the run ended: the action may have run. */
export const ORIGIN_LOST = 'origin_lost'

export const outcomeSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('success'), ...ended, response: z.unknown() }),
  z.object({
    status: z.literal('failed'),
    ...ended,
    /** `action_threw`, `action_timeout`, `out_of_memory`, `origin_lost`, ...: for programs. */
    code: z.string(),
    message: z.string(),
    /** The action's own stack; empty where it has none. */
    stack: z.string(),
  }),
])
export type Outcome = z.infer<typeof outcomeSchema>

/** The failure as one text for people: the stack, which begins with the message, or the message. */
export function failureText(outcome: { message: string; stack: string }): string {
  if (outcome.stack === '') return outcome.message
  return outcome.stack.includes(outcome.message)
    ? outcome.stack
    : `${outcome.message}\n${outcome.stack}`
}

/** Console output as one text: what `svc_action` answers in `logs`. */
export function logsText(logs: readonly LogLine[]): string {
  return logs.map((line) => line.text).join('\n')
}
