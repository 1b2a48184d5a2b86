/**
 * Schemas of `POST /agent/requests`, with which an agent registers its request before a person opens the approval link
 * (docs/decisions/0049).
 */
import { z } from 'zod'
import { decodeBase64url } from '../encoding/base64url.ts'

/** Scopes of agent tokens. No scope allows approving, listing or revoking tokens, which require a browser session. */
export const SCOPES = ['triggers:read', 'triggers:write'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * Parses scopes from an array, or from text with spaces. Returns the known scopes without duplicates, in the order of
 * `SCOPES`.
 */
export function scopesOf(names: string | readonly string[]): Scope[] {
  const given = typeof names === 'string' ? names.split(' ') : names
  return SCOPES.filter((scope) => given.includes(scope))
}

/** Maximum length of a label, in code points. */
export const LABEL_MAX_CHARACTERS = 64

/**
 * Characters that are not allowed in a label, because they change the text direction or hide what follows, for example.
 * Variation selectors are the only allowed invisible characters, because emoji need them.
 */
const UNPRINTABLE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v

/**
 * Visible characters. U+2800 (blank Braille pattern) is excluded, because it is classified as a symbol but is not
 * visible.
 */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--\u2800]/v

/** Stacked combining marks, which would cover neighboring lines. UTS 39, section 5.4, allows at most four. */
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
  .refine((text) => VISIBLE.test(text), 'expected a visible character')
  .refine((text) => !PILED_MARKS.test(text), 'expected at most four combining marks on a character')
  .meta({ minLength: 1, maxLength: LABEL_MAX_CHARACTERS })

const challengeSchema = z
  .string()
  .refine(
    (text) => text.length === 43 && decodeBase64url(text)?.length === 32,
    'expected a SHA-256 in base64url without padding: 43 characters',
  )
  .meta({ description: 'SHA-256 of the token, in base64url without padding.' })

export const agentRequestBody = z.strictObject({
  challenge: challengeSchema,
  label: labelSchema.meta({
    description: 'The name shown on the approval page and in the list of tokens.',
  }),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .exactOptional()
    .meta({ description: 'Default: all scopes.' }),
})
export type AgentRequestBody = z.infer<typeof agentRequestBody>

export const agentRequestResponse = z.object({
  request_id: z.string(),
  /**
   * User code in the format `XXXX-XXXX`. The agent displays the code, and the user types it on the approval page.
   * Returned only once.
   */
  user_code: z.string(),
  authorize_url: z.url(),
  expires_at: z.string().meta({ format: 'date-time' }),
})
export type AgentRequestResponse = z.infer<typeof agentRequestResponse>
