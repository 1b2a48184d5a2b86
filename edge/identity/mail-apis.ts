/**
 * The HTTP e-mail APIs that a deployment can send through, each as its documentation says. Mail is plain text, and no
 * link in it is rewritten to be counted: the counter would hold sign-in links. (Resend has that as a setting of the
 * domain alone, and off unless it was switched on.)
 */
import type { Mail } from './mailer.ts'
import type { Sender } from './mailer-settings.ts'

export type MailApi = {
  /** Where it is, without a slash at its end. */
  url: string
  path: string
  /** Who asks. */
  credentials(token: string): Record<string, string>
  body(mail: Mail, from: Sender): object
  /** Sends the same request twice as one mail, by a header of this name. */
  idempotencyHeader?: string
  /** Its word for a failure, in an answer that was not 2xx: parsed JSON of whatever shape. */
  codeOf(answer: unknown): unknown
}

export const MAIL_API_NAMES = ['resend', 'postmark', 'sendgrid'] as const
export type MailApiName = (typeof MAIL_API_NAMES)[number]

export const MAIL_APIS: Record<MailApiName, MailApi> = {
  /** https://resend.com/docs/api-reference/emails/send-email */
  resend: {
    url: 'https://api.resend.com',
    path: '/emails',
    credentials: (token) => ({ authorization: `Bearer ${token}` }),
    body: ({ recipient, subject, text }, from) => ({
      from: senderText(from),
      to: [recipient],
      subject,
      text,
    }),
    idempotencyHeader: 'idempotency-key',
    codeOf: (answer) => member(answer, 'name'),
  },
  /** https://postmarkapp.com/developer/api/email-api */
  postmark: {
    url: 'https://api.postmarkapp.com',
    path: '/email',
    credentials: (token) => ({ 'x-postmark-server-token': token }),
    body: ({ recipient, subject, text }, from) => ({
      From: senderText(from),
      To: recipient,
      Subject: subject,
      TextBody: text,
      MessageStream: 'outbound',
      TrackOpens: false,
      TrackLinks: 'None',
    }),
    codeOf: (answer) => member(answer, 'ErrorCode'),
  },
  /** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
  sendgrid: {
    url: 'https://api.sendgrid.com',
    path: '/v3/mail/send',
    credentials: (token) => ({ authorization: `Bearer ${token}` }),
    body: ({ recipient, subject, text }, from) => ({
      personalizations: [{ to: [{ email: recipient }] }],
      from,
      subject,
      content: [{ type: 'text/plain', value: text }],
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
      },
    }),
    // It has no codes; the field that was wrong is what tells.
    codeOf: (answer) => member(member(member(answer, 'errors'), '0'), 'field'),
  },
}

/** RFC 5322, 3.4: a name with characters that mean something in an address stands in quotes. */
function senderText({ name, email }: Sender): string {
  if (name === undefined) return email
  return `${/[()[\]:;@,.]/.test(name) ? `"${name}"` : name} <${email}>`
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
