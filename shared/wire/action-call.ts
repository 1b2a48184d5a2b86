/** Schemas of action calls. Clients load this module to seal calls, so it does not import ethers, which is large. */
import { z } from 'zod'
import { textSchema } from './text.ts'

/**
 * Source of an action. It must be well-formed Unicode: the CID is computed from UTF-8, where a lone surrogate becomes
 * U+FFFD, so the permitted source would differ from the source that the engine runs.
 */
export const sourceSchema = textSchema

/**
 * Params of an action. `z.record` is not used, because it would visit every key (there can be a million) and drop a key
 * named `__proto__`.
 */
export const paramsSchema = z
  .unknown()
  .check((context) => {
    const { value } = context
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
    context.issues.push({ code: 'invalid_type', expected: 'record', input: value })
  })
  .transform((params) => params as Record<string, unknown>)
  .meta({ type: 'object' })
