/**
 * Limits the size of runs in tool results, because model input is billed per token, and a run can have millions of
 * characters.
 */
import { z } from 'zod'
import type { Run } from '../../client/triggers/records.ts'
import { runRecord } from '../../wire/trigger.ts'

/**
 * Maximum length of a run's fields in a tool result, a few thousand words. Longer fields are omitted or truncated, and
 * listed in `omitted`.
 */
const SHOWN_MAX_CHARACTERS = 32 * 1024

const LARGE = ['input', 'response', 'error', 'logs'] as const

export const runListItem = runRecord.omit({
  input: true,
  input_omitted: true,
  response: true,
  logs: true,
  receipt: true,
})

export const runOutput = runRecord.extend({
  input: runRecord.shape.input.nullable(),
  omitted: z
    .array(z.enum(LARGE))
    .optional()
    .describe('Fields omitted because of their size: svc trigger run <id> --json prints them.'),
})

export function toRunListItem(run: Run): z.infer<typeof runListItem> {
  const {
    input: _input,
    input_omitted: _inputOmitted,
    response: _response,
    logs: _logs,
    receipt: _receipt,
    ...rest
  } = run
  return { ...rest, error: rest.error?.slice(0, SHOWN_MAX_CHARACTERS / LARGE.length) ?? null }
}

export function toRunOutput(run: Run): z.infer<typeof runOutput> {
  const omitted = LARGE.filter((name) => {
    return (JSON.stringify(run[name]) ?? '').length > SHOWN_MAX_CHARACTERS
  })
  if (omitted.length === 0) return run
  const without = {
    ...(omitted.includes('input') && { input: null }),
    ...(omitted.includes('response') && { response: null }),
    ...(omitted.includes('error') && { error: run.error!.slice(0, SHOWN_MAX_CHARACTERS) }),
    ...(omitted.includes('logs') && { logs: [] }),
  }
  return { ...run, ...without, omitted }
}
