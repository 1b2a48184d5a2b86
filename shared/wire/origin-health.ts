import { z } from 'zod'
import { buildFields } from './build.ts'

const healthReasonSchema = z.object({
  code: z.string().meta({ description: 'A stable name; docs/operate.md lists them all.' }),
  message: z.string(),
})
export type HealthReason = z.infer<typeof healthReasonSchema>

export const originHealthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'down']),
  reasons: z.array(healthReasonSchema),
  ...buildFields,
})
