/**
 * A receiver of Standard Webhooks, over TLS. Each test has its own account under `/<account>`: events are posted to
 * `/<account>/hook`. `GET /<account>/received` returns all requests to it, and `POST /<account>/settings` sets the secret
 * and the statuses of the next responses.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Certificate, type Received, startWebServer } from './web-server.ts'

/** Tolerance that the specification suggests. */
const TOLERANCE_S = 300

export type ReceivedAlert = {
  url: string
  id: string
  signatures: number
  /** False if no signature is valid for the secret of the account. */
  verified: boolean
  contentType: string
  body: string
}

export type ReceiverSettings = {
  secret?: string
  /** Statuses of the next responses. Afterwards, verified events get a 204, and others a 401. */
  statuses?: number[]
}

type Account = ReceiverSettings & { received: ReceivedAlert[] }

export async function startAlertReceiver(certificate: Certificate) {
  const accounts = new Map<string, Account>()
  const server = await startWebServer(
    (request, response) => {
      const [, name = '', path] = request.url.split('/')
      const account = accounts.get(name) ?? { received: [] }
      accounts.set(name, account)
      if (path === 'received') return void response.end(JSON.stringify(account.received))
      if (path === 'settings') {
        Object.assign(account, JSON.parse(request.body) as ReceiverSettings)
        return void response.writeHead(204).end()
      }
      const alert = toAlert(request, account.secret)
      account.received.push(alert)
      const status = account.statuses?.shift() ?? (alert.verified ? 204 : 401)
      response.writeHead(status, { location: `/${name}/elsewhere` }).end()
    },
    { certificate },
  )
  return { url: `https://127.0.0.1:${server.port}`, close: server.close }
}

function toAlert({ body, headers, url }: Received, secret: string | undefined): ReceivedAlert {
  const text = (name: string) => String(headers[name] ?? '')
  const [id, timestamp] = [text('webhook-id'), text('webhook-timestamp')]
  const signatures = text('webhook-signature').split(' ')
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) < TOLERANCE_S
  const verified =
    isFresh && signatures.some((one) => isSignature(one, `${id}.${timestamp}.${body}`, secret))
  const contentType = text('content-type')
  return { url, id, signatures: signatures.length, verified, contentType, body }
}

function isSignature(signature: string, signed: string, secret: string | undefined): boolean {
  const [version, encoded = ''] = signature.split(',')
  const key = Buffer.from((secret ?? '').replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(signed).digest()
  const given = Buffer.from(encoded, 'base64')
  return (
    version === 'v1' &&
    key.length >= 24 &&
    given.length === expected.length &&
    timingSafeEqual(given, expected)
  )
}
