import { z } from 'zod'

/**
 * Accepts any JSON object unchanged. `z.record` would visit every key, of which there can be a million, and drop a key
 * named `__proto__`.
 */
export const jsonObjectSchema = z
  .unknown()
  .check((context) => {
    const { value } = context
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return
    context.issues.push({ code: 'invalid_type', expected: 'record', input: value })
  })
  .transform((object) => object as Record<string, unknown>)
  .meta({ type: 'object' })
