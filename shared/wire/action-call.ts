/** What an action is called with. Without ethers: clients load it to seal a call. */
import { z } from 'zod'
import { text } from './text.ts'

/**
 * An action's source. Not well-formed, it would run as one text and be permitted as another: its CID has U+FFFD
 * where the engine sees the lone surrogate.
 */
export const sourceSchema = text

/**
 * `js_params`. Not `z.record`: that looks at each key, of which there may be a million, and drops the one that is
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
