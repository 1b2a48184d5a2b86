import { z } from 'zod'
import { SCOPES } from './agent.ts'

/** Response of `GET /api/me`. */
export const meAnswer = z.object({
  id: z.string(),
  email: z.string(),
  /** Absolute expiry time of the token in the request. The token expires earlier if it is not used. */
  token_expires_at: z.string().meta({ format: 'date-time' }),
  /** Label of the token; null if it has no label. */
  label: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
})
