/** `POST /agent/requests`: an agent says who it is before a person opens its link (`decisions.md`, Authorize). */
import { z } from 'zod'
import { decodeBase64url } from '../base64url.ts'

/** What a token may do. Neither lets it approve, list or revoke tokens: that is a browser's alone. */
export const SCOPES = ['triggers:read', 'triggers:write'] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of a stored or a sent list, in the order above, each once. */
export function scopesOf(names: string | readonly string[]): Scope[] {
  const given = typeof names === 'string' ? names.split(' ') : names
  return SCOPES.filter((scope) => given.includes(scope))
}

/** Of characters, as people count most of them: an emoji is one. */
export const LABEL_MAX_CHARACTERS = 64

/**
 * A name fits a line, and can not turn the direction of writing or hide what follows it. Of what shows nothing only the
 * selectors are let in that emoji are written with.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v

/** What can be seen. The blank of Braille is a symbol by its class, and shows nothing. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--\u2800]/v

/** Marks that would be piled up over the lines around the name (UTS 39, 5.4: no more than four). */
const PILED_MARKS = /[\p{Mn}\p{Me}]{5}/u

export const labelSchema = z
  .string()
  .trim()
  .min(1, 'expected at least one character')
  .refine(
    (text) => [...text].length <= LABEL_MAX_CHARACTERS,
    `expected at most ${LABEL_MAX_CHARACTERS} characters`,
  )
  .refine((text) => !UNPRINTABLE.test(text), 'expected printable characters on one line')
  .refine((text) => VISIBLE.test(text), 'expected a character that can be seen')
  .refine((text) => !PILED_MARKS.test(text), 'expected at most four marks on one character')
  .meta({ minLength: 1, maxLength: LABEL_MAX_CHARACTERS })

const challengeSchema = z
  .string()
  .refine(
    (text) => text.length === 43 && decodeBase64url(text)?.length === 32,
    'expected the base64url text of a SHA-256, without padding: 43 characters',
  )
  .meta({ description: 'base64url of the token’s SHA-256, without padding.' })

export const agentRequestBody = z.strictObject({
  challenge: challengeSchema,
  label: labelSchema.meta({ description: 'What the person is shown, and finds in the list.' }),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .exactOptional()
    .meta({ description: 'All of them where it is left out.' }),
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
