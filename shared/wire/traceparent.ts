import { z } from 'zod'
import { parseTraceparent } from '../telemetry/trace-context.ts'

export const traceparentSchema = z
  .string()
  .max(64)
  .refine((text) => parseTraceparent(text) !== undefined, 'expected a traceparent')
