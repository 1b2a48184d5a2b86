/**
 * The three email APIs that the edge supports, per their documentation, over TLS: Resend at `/emails`, Postmark at
 * `/email`, SendGrid at `/v3/mail/send`. Each test has its own account under `/<account>`: `GET /<account>/received`
 * returns what it received, and `POST /<account>/faults` sets how the next requests fail.
 */
import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { type Certificate, type Received, startWebServer } from './web-server.ts'

export const MAIL_TOKEN = 'tok_good'
/** Sender on the only verified domain. */
export const MAIL_FROM = 'Svc, Inc. <no-reply@sender.example>'
/** A recipient that Postmark suppresses after an earlier bounce. */
export const INACTIVE_RECIPIENT = 'inactive@example.com'

export type MailFault = {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Keeps the connection open without a response. */
  silent?: true
  /** Accepts the mail, then breaks the connection before the response. */
  lost?: true
}

export type ReceivedMail = {
  from: string
  to: string
  subject: string
  text: string
  /** True if links are rewritten for click tracking. */
  tracked: boolean
}

type Account = {
  requests: Pick<Received, 'method' | 'url' | 'headers' | 'body'>[]
  mails: ReceivedMail[]
  faults: MailFault[]
  idempotent: Map<string, { body: string; id: string }>
}

type Answer = { status: number; body?: object | string; headers?: Record<string, string> }
type Api = (request: Received, account: Account) => Answer

export async function startMailApi(certificate: Certificate) {
  const accounts = new Map<string, Account>()
  const server = await startWebServer(
    (request, response) => {
      const [, name = '', ...rest] = request.url.split('/')
      const account = accounts.get(name) ?? {
        requests: [],
        mails: [],
        faults: [],
        idempotent: new Map<string, { body: string; id: string }>(),
      }
      accounts.set(name, account)
      const path = `/${rest.join('/')}`
      if (path === '/received')
        return give(response, { status: 200, body: { ...account, idempotent: undefined } })
      if (path === '/faults') {
        account.faults = JSON.parse(request.body) as MailFault[]
        return give(response, { status: 204 })
      }
      serve(path, request, account, response)
    },
    { certificate },
  )
  return { url: `https://127.0.0.1:${server.port}`, close: server.close }
}

function serve(path: string, request: Received, account: Account, response: ServerResponse): void {
  const { method, headers, body } = request
  account.requests.push({ method, url: path, headers, body })
  const fault = account.faults.shift()
  if (fault?.silent) return
  if (fault && !fault.lost) {
    const { status = 200, headers: more = {}, body: text = '' } = fault
    return give(response, { status, body: text, headers: more })
  }
  const answer = (APIS[`${method} ${path}`] ?? (() => ({ status: 404 })))(request, account)
  if (fault?.lost) response.socket?.destroy()
  else give(response, answer)
}

const APIS: Record<string, Api> = {
  'POST /emails': resend,
  'POST /email': postmark,
  'POST /v3/mail/send': sendgrid,
}

const resendBody = z.strictObject({
  from: z.string(),
  to: z.array(z.email()).min(1).max(50),
  subject: z.string().min(1),
  text: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
})

function resend({ headers, body }: Received, account: Account): Answer {
  const refuse = (statusCode: number, name: string, message: string) => ({
    status: statusCode,
    body: { statusCode, name, message },
  })
  if (!headers['user-agent']) return { status: 403, body: 'error code: 1010' }
  const { authorization } = headers
  if (!authorization)
    return refuse(401, 'missing_api_key', 'Missing API key in the authorization header.')
  if (authorization !== `Bearer ${MAIL_TOKEN}`)
    return refuse(403, 'invalid_api_key', 'API key is invalid.')
  const mail = resendBody.safeParse(jsonOf(body)).data
  if (!mail) return refuse(422, 'missing_required_field', 'The request body is missing a field.')
  if (!isOfSender(mail.from))
    return refuse(403, 'validation_error', `The domain of ${mail.from} is not verified.`)
  const key = String(headers['idempotency-key'] ?? randomUUID())
  if (key.length > 256) return refuse(400, 'invalid_idempotency_key', 'The key is too long.')
  const before = account.idempotent.get(key)
  if (before && before.body !== body)
    return refuse(409, 'invalid_idempotent_request', 'The key was used with another payload.')
  const id = before?.id ?? randomUUID()
  const { from, to, subject, text } = mail
  if (!before) account.mails.push({ from, to: to.join(), subject, text, tracked: false })
  account.idempotent.set(key, { body, id })
  return { status: 200, body: { id } }
}

const postmarkBody = z.strictObject({
  From: z.string(),
  To: z.email(),
  Subject: z.string(),
  TextBody: z.string().min(1),
  Headers: z.array(z.strictObject({ Name: z.string(), Value: z.string() })).optional(),
  MessageStream: z.literal('outbound').optional(),
  TrackOpens: z.boolean().optional(),
  TrackLinks: z.enum(['None', 'HtmlAndText', 'HtmlOnly', 'TextOnly']).optional(),
})

function postmark({ headers, body }: Received, account: Account): Answer {
  const refuse = (status: number, ErrorCode: number, Message: string) => ({
    status,
    body: { ErrorCode, Message },
  })
  if (headers['x-postmark-server-token'] !== MAIL_TOKEN)
    return refuse(401, 10, 'The Server Token you provided is not valid.')
  const mail = postmarkBody.safeParse(jsonOf(body)).data
  if (!mail) return refuse(422, 300, 'Zero recipients specified or an invalid field.')
  if (!isOfSender(mail.From))
    return refuse(422, 400, `The From address ${mail.From} is not a Sender Signature.`)
  if (mail.To === INACTIVE_RECIPIENT)
    return refuse(422, 406, `You tried to send to a recipient marked as inactive: ${mail.To}`)
  const { From: from, To: to, Subject: subject, TextBody: text, TrackLinks: links } = mail
  account.mails.push({ from, to, subject, text, tracked: links !== 'None' })
  const SubmittedAt = new Date().toISOString()
  const MessageID = randomUUID()
  return { status: 200, body: { To: to, SubmittedAt, MessageID, ErrorCode: 0, Message: 'OK' } }
}

const switched = z.strictObject({ enable: z.boolean(), enable_text: z.boolean().optional() })
const mailbox = z.strictObject({ email: z.email(), name: z.string().optional() })
const sendgridBody = z.strictObject({
  personalizations: z.array(z.strictObject({ to: z.array(mailbox).min(1) })).min(1),
  from: mailbox,
  subject: z.string().min(1),
  headers: z.record(z.string(), z.string()).optional(),
  content: z.array(z.strictObject({ type: z.literal('text/plain'), value: z.string().min(1) })),
  tracking_settings: z
    .strictObject({ click_tracking: switched.optional(), open_tracking: switched.optional() })
    .optional(),
})

function sendgrid({ headers, body }: Received, account: Account): Answer {
  const refuse = (status: number, message: string, field: string | null = null) => ({
    status,
    body: { errors: [{ message, field, help: null }] },
  })
  if (headers['authorization'] !== `Bearer ${MAIL_TOKEN}`)
    return refuse(401, 'The provided authorization grant is invalid, expired, or revoked')
  const parsed = sendgridBody.safeParse(jsonOf(body))
  if (!parsed.success)
    return refuse(400, 'Bad request', parsed.error.issues[0]!.path.map(String).join('.'))
  const { personalizations, from, subject, content, tracking_settings: tracking } = parsed.data
  const sender = from.name === undefined ? from.email : `${from.name} <${from.email}>`
  if (!isOfSender(sender))
    return refuse(403, `The from address ${sender} does not match a Sender Identity.`, 'from')
  const { enable = true, enable_text = true } = tracking?.click_tracking ?? {}
  const to = personalizations.flatMap((one) => one.to.map(({ email }) => email)).join()
  account.mails.push({
    from: sender,
    to,
    subject,
    text: content.map(({ value }) => value).join(),
    tracked: enable || enable_text,
  })
  return { status: 202, headers: { 'x-message-id': randomUUID() } }
}

const isOfSender = (from: string) => /@sender\.example>?$/.test(from)

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function give(response: ServerResponse, { status, body, headers = {} }: Answer): void {
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '')
  const type = typeof body === 'object' ? 'application/json' : 'text/plain'
  response.writeHead(status, { 'content-type': type, ...headers }).end(status === 204 ? '' : text)
}
