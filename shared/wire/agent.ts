/** `POST /agent/requests`: an agent says who it is before a person opens its link (`decisions.md`, Authorize). */
import { z } from 'zod'

/** What a token may do. Neither lets it approve, list or revoke tokens: that is a browser's alone. */
export const SCOPES = ['triggers:read', 'triggers:write'] as const
export type Scope = (typeof SCOPES)[number]

/** A name fits a line, and can not turn the direction of writing or hide what follows it. */
export const LABEL_MAX_CHARACTERS = 64
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}]/u

export const labelSchema = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_MAX_CHARACTERS)
  .refine((text) => !UNPRINTABLE.test(text), 'expected printable characters on one line')

export const agentRequestBody = z.strictObject({
  /** base64url of the token's SHA-256, without padding. */
  challenge: z.string(),
  label: labelSchema,
  /** All of them where it is left out. */
  scopes: z.array(z.enum(SCOPES)).min(1).exactOptional(),
})
export type AgentRequestBody = z.infer<typeof agentRequestBody>

export const agentRequestAnswer = z.object({
  request_id: z.string(),
  /** To be shown by the agent, and typed by the person: `XXXX-XXXX`. It is given once. */
  user_code: z.string(),
  authorize_url: z.url(),
  expires_at: z.string().meta({ format: 'date-time' }),
})
export type AgentRequestAnswer = z.infer<typeof agentRequestAnswer>
