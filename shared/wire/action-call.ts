/**
 * Schemas of the input of an action call. This module does not import ethers, because clients load it to seal a call.
 */
import { z } from 'zod'
import { text } from './text.ts'

/**
 * Source of an action. It must be well-formed Unicode, because its CID is computed from UTF-8, where a lone surrogate
 * becomes U+FFFD. Otherwise, the permitted source would differ from the source that the engine runs.
 */
export const sourceSchema = text

/**
 * Schema of `js_params`. Does not use `z.record`, which visits every key (there can be a million) and drops a key named
 * `__proto__`.
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
