/**
 * Request formats of the supported mail APIs. Mail is sent as plain text with click tracking disabled, because a
 * tracker would store sign-in links. In Resend, tracking is a setting of the domain and disabled by default.
 */
import type { Mail } from './mailer.ts'

export type MailSender = { name?: string; email: string }

export type MailApi = {
  /** Base URL of the API, without a trailing slash. */
  url: string
  path: string
  credentials(token: string): Record<string, string>
  body(mail: Mail, from: MailSender): object
  /**
   * Name of the API's idempotency header. Repeated requests with the same key are sent as a single mail. Absent if the
   * API does not support idempotency keys.
   */
  idempotencyHeader?: string
  errorCodeOf(answer: unknown): unknown
}

export const MAIL_API_NAMES = ['resend', 'postmark', 'sendgrid'] as const
export type MailApiName = (typeof MAIL_API_NAMES)[number]

export const MAIL_APIS: Record<MailApiName, MailApi> = {
  /** https://resend.com/docs/api-reference/emails/send-email */
  resend: {
    url: 'https://api.resend.com',
    path: '/emails',
    credentials: (token) => ({ authorization: `Bearer ${token}` }),
    body: ({ recipient, subject, text, headers }, from) => ({
      from: senderText(from),
      to: [recipient],
      subject,
      text,
      ...(headers && { headers }),
    }),
    idempotencyHeader: 'idempotency-key',
    errorCodeOf: (answer) => readProperty(answer, 'name'),
  },
  /** https://postmarkapp.com/developer/api/email-api */
  postmark: {
    url: 'https://api.postmarkapp.com',
    path: '/email',
    credentials: (token) => ({ 'x-postmark-server-token': token }),
    body: ({ recipient, subject, text, headers }, from) => ({
      From: senderText(from),
      To: recipient,
      Subject: subject,
      TextBody: text,
      ...(headers && {
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
      }),
      MessageStream: 'outbound',
      TrackOpens: false,
      TrackLinks: 'None',
    }),
    errorCodeOf: (answer) => readProperty(answer, 'ErrorCode'),
  },
  /** https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send */
  sendgrid: {
    url: 'https://api.sendgrid.com',
    path: '/v3/mail/send',
    credentials: (token) => ({ authorization: `Bearer ${token}` }),
    body: ({ recipient, subject, text, headers }, from) => ({
      personalizations: [{ to: [{ email: recipient }] }],
      from,
      subject,
      ...(headers && { headers }),
      content: [{ type: 'text/plain', value: text }],
      tracking_settings: {
        click_tracking: { enable: false, enable_text: false },
        open_tracking: { enable: false },
      },
    }),
    // SendGrid has no error codes. The name of the invalid field is the most specific information in its response.
    errorCodeOf: (answer) =>
      readProperty(readProperty(readProperty(answer, 'errors'), '0'), 'field'),
  },
}

/** A name with special characters is quoted (RFC 5322, 3.4). */
function senderText({ name, email }: MailSender): string {
  if (name === undefined) return email
  return `${/[()[\]:;@,.]/.test(name) ? `"${name}"` : name} <${email}>`
}

function readProperty(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
