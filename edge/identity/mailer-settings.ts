/** Parses `MAILER` (`docs/configuration.md`, Mailer). */
import { z } from 'zod'
import { SETTINGS } from '../../shared/config/settings.ts'
import { jsonSetting } from '../../shared/config/json-setting.ts'
import { MAIL_API_NAMES, type MailApiName, type MailSender } from './mail-apis.ts'

export type MailerSettings = {
  api: MailApiName
  from: MailSender
  /** Must never be logged or displayed. */
  token: string
  url?: string
}

/**
 * Pattern of a sender: `Name <address>`, or only an address. The name must not contain characters that would terminate
 * it in a mail header.
 */
const SENDER = /^(?:(?<name>[^<>"\\\p{C}]{1,64}?) *<(?<named>[^<>\s]+)>|(?<bare>[^<>\s]+))$/u

/**
 * Pattern of an API token: characters that are allowed in an HTTP header. Real tokens have at most a few hundred
 * characters.
 */
const TOKEN = /^[\x21-\x7e]{1,512}$/

export const mailerMembers = {
  api: z.enum(MAIL_API_NAMES).register(SETTINGS, {
    meaning: '`resend`, `postmark` (with its message stream `outbound`) or `sendgrid`',
  }),
  from: z
    .string()
    .transform((text, context): MailSender => {
      const { name, named, bare } = SENDER.exec(text.trim())?.groups ?? {}
      const email = z.email().safeParse(named ?? bare).data
      if (email !== undefined) return { ...(name !== undefined && { name }), email }
      context.addIssue({ code: 'custom', message: 'expected "Name <address>" or an address' })
      return z.NEVER
    })
    .register(SETTINGS, {
      meaning:
        'the sender, as `Name <address>` or only the address, in a domain that is verified with the API',
    }),
  token: z.string().regex(TOKEN, 'expected the API token, without spaces').register(SETTINGS, {
    meaning:
      'credential for the API: an API key of Resend or SendGrid that can only send mail, or a server token of Postmark',
    secret: true,
  }),
  url: z
    .string()
    .refine(isBaseUrl, 'expected an https URL without user, query or fragment')
    .transform((text) => new URL(text).href.replace(/\/$/, ''))
    .exactOptional()
    .register(SETTINGS, {
      meaning: 'alternative URL of the API, `https`, for example `https://api.eu.sendgrid.com`',
      default: "the API's default URL",
    }),
}

/**
 * Error messages contain only the path of the invalid field. They never quote values or unknown fields, because any of
 * them could be the token.
 */
const mailerSchema = z.strictObject(mailerMembers, {
  error: ({ code }) =>
    code === 'unrecognized_keys' ? 'unknown field; expected api, from, token and url' : undefined,
})

export const mailerSetting = jsonSetting
  .pipe(mailerSchema.optional())
  .transform((given): MailerSettings | undefined => given)

/**
 * Returns true for an https URL without user, query or fragment. TLS is required even in a local stack, because mails
 * contain sign-in links.
 */
function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.username + url.password + url.search + url.hash === ''
}
