import { z } from 'zod'
import { SCOPES } from './agent.ts'

/** Of `GET /api/me` (specification, Identity). */
export const meAnswer = z.object({
  id: z.string(),
  email: z.string(),
  /** When the token that was sent ends, if it is used till then. */
  token_expires_at: z.string().meta({ format: 'date-time' }),
  /** The token's name, where it was given one. */
  label: z.string().nullable(),
  /** What the token may do. */
  scopes: z.array(z.enum(SCOPES)),
})
