/** Parses `MAILER`, which configures the HTTP e-mail API of a deployment (`docs/configuration.md`, Mailer). */
import { z } from 'zod'
import { SETTINGS } from '../../shared/settings.ts'
import { MAIL_API_NAMES, type MailApiName } from './mail-apis.ts'

export type Sender = { name?: string; email: string }

export type MailerSettings = {
  api: MailApiName
  from: Sender
  /** Must never be logged or displayed. */
  token: string
  url?: string
}

/** `Name <address>`, or the address alone. The name must not contain characters that would end it in a header. */
const SENDER = /^(?:(?<name>[^<>"\\\p{C}]{1,64}?) *<(?<named>[^<>\s]+)>|(?<bare>[^<>\s]+))$/u

/** Characters allowed in a header. Real tokens have at most a few hundred. */
const TOKEN = /^[\x21-\x7e]{1,512}$/

export const mailerMembers = {
  api: z.enum(MAIL_API_NAMES).register(SETTINGS, {
    meaning: '`resend`, `postmark` (its stream `outbound`) or `sendgrid`',
  }),
  from: z
    .string()
    .transform((text, context): Sender => {
      const { name, named, bare } = SENDER.exec(text.trim())?.groups ?? {}
      const email = z.email().safeParse(named ?? bare).data
      if (email !== undefined) return { ...(name !== undefined && { name }), email }
      context.addIssue({ code: 'custom', message: '"Name <address>" or an address is expected' })
      return z.NEVER
    })
    .register(SETTINGS, {
      meaning:
        'the sender, `Name <address>` or the address alone; of a domain that the API has verified',
    }),
  token: z
    .string()
    .regex(TOKEN, 'the token of the API is expected, without blanks')
    .register(SETTINGS, {
      meaning:
        'what the API takes: an API key of Resend or SendGrid that may send mail and nothing else, a server token of Postmark',
      secret: true,
    }),
  url: z
    .string()
    .refine(isBaseUrl, 'an https URL is expected, with nothing behind its path')
    .transform((text) => new URL(text).href.replace(/\/$/, ''))
    .exactOptional()
    .register(SETTINGS, {
      meaning: 'another place of the API, `https`: `https://api.eu.sendgrid.com`',
      default: "the API's usual one",
    }),
}

/**
 * Error messages name only the path. They never quote values or unknown members, because the token could be in any of
 * them.
 */
const mailerSchema = z.strictObject(mailerMembers, {
  error: ({ code }) =>
    code === 'unrecognized_keys'
      ? 'a member is not known; there are api, from, token and url'
      : undefined,
})

/** `MAILER` as JSON; `undefined` if absent or empty. */
export const mailerSetting = z
  .string()
  .optional()
  .transform((text, context) => {
    if (text === undefined || text.trim() === '') return undefined
    try {
      return JSON.parse(text) as unknown
    } catch {
      // The parser's own message would quote the text.
      context.addIssue({ code: 'custom', message: 'JSON is expected' })
      return z.NEVER
    }
  })
  .pipe(mailerSchema.optional())
  .transform((given): MailerSettings | undefined => given)

/** Requires TLS for sign-in links, on a local stack too. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, search, hash } = new URL(text)
  return protocol === 'https:' && username + password + search + hash === ''
}
