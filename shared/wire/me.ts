import { z } from 'zod'

/** Of `GET /api/me` (specification, Identity). */
export const meAnswer = z.object({
  id: z.string(),
  email: z.string(),
  /** When the token that was sent ends, if it is used till then. */
  token_expires_at: z.string().meta({ format: 'date-time' }),
})
