import { z } from 'zod'
import { SCOPES } from './agent.ts'

/** `GET /api/me` */
export const meResponse = z.object({
  id: z.string(),
  email: z.string(),
  /** Absolute expiry; the token expires earlier if it is not used. */
  token_expires_at: z.string().meta({ format: 'date-time' }),
  /** Null if the token has no label. */
  label: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
})
