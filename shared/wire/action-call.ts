/** Input schemas of an action call. Does not import ethers, because clients load this module to seal a call. */
import { z } from 'zod'
import { text } from './text.ts'

/**
 * An action's source. Must be well-formed Unicode: its CID is computed from UTF-8, where a lone surrogate becomes
 * U+FFFD, so the permitted text would differ from the text that the engine runs.
 */
export const sourceSchema = text

/** `js_params`. Not `z.record`, which visits every key (there can be a million) and drops a key named `__proto__`. */
export const paramsSchema = z
  .unknown()
  .check((context) => {
    const { value } = context
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
    context.issues.push({ code: 'invalid_type', expected: 'record', input: value })
  })
  .transform((params) => params as Record<string, unknown>)
  .meta({ type: 'object' })
