import { z } from 'zod'
import { SCOPES } from './agent.ts'

export const meResponse = z.object({
  id: z.string(),
  email: z.string(),
  /** Latest time at which the token expires. The token expires earlier if it is not used. */
  token_expires_at: z.string().meta({ format: 'date-time' }),
  /** Label of the token. Null if the token has no label. */
  label: z.string().nullable(),
  scopes: z.array(z.enum(SCOPES)),
})
