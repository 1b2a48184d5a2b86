/** Client of an ACME server (RFC 8555) for one account, one domain per certificate, and HTTP-01 challenges. */
import { z } from 'zod'
import { SECOND_MS } from '../../../shared/durations.ts'
import { causeCode } from '../../../shared/errors/cause-code.ts'
import { tryParseJson } from '../../../shared/json/try-parse-json.ts'
import { readBoundedBody } from '../../../shared/network/bounded-body.ts'
import type { AbortableSleep } from '../../timeout.ts'
import type { AcmeAccountKey } from './account-key.ts'

/** Certificate chains take about 6 KB, and other responses less. */
const RESPONSE_MAX_BYTES = 256 * 1024
const RESPONSE_TIMEOUT_MS = 30 * SECOND_MS
const POLL_MS = SECOND_MS
/** The server requests the challenge from several networks, and may retry. */
const POLLS_MAX = 120
/** A nonce can expire, or be unknown to the server that receives it (RFC 8555, 6.5). */
const NONCE_ATTEMPTS = 3
const REASON_MAX_CHARACTERS = 300

export class AcmeError extends Error {
  override readonly name = 'AcmeError'
  /** Type of the server's problem document, such as `urn:ietf:params:acme:error:rateLimited`. */
  readonly type: string | undefined
  constructor(reason: string, { type, ...options }: ErrorOptions & { type?: string } = {}) {
    super(reason.slice(0, REASON_MAX_CHARACTERS), options)
    this.type = type
  }
}

const directorySchema = z.object({ newNonce: z.url(), newAccount: z.url(), newOrder: z.url() })
const problemSchema = z.object({ type: z.string().optional(), detail: z.string().optional() })
const accountSchema = z.object({ status: z.string() })
const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional(),
  error: problemSchema.optional(),
})
const challengeSchema = z.object({
  type: z.string(),
  url: z.url(),
  error: problemSchema.optional(),
})
const authorizationSchema = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  challenges: z.array(challengeSchema),
})

type Order = z.infer<typeof orderSchema>
type AcmeResponse = { status: number; headers: Headers; text: string }
/** `undefined` fetches a resource (POST-as-GET, RFC 8555, 6.3). */
type Payload = object | undefined

type AcmeClientOptions = {
  directoryUrl: string
  key: AcmeAccountKey
  fetch: typeof fetch
  sleep: AbortableSleep
  /** Aborts everything in progress. */
  signal: AbortSignal
}

export class AcmeClient {
  readonly #options: AcmeClientOptions
  #directory: z.infer<typeof directorySchema> | undefined
  #accountUri: string | undefined
  #nonce: string | undefined

  constructor(options: AcmeClientOptions) {
    this.#options = options
  }

  /**
   * Registers the account, or finds the registered one: the server identifies it by its key (RFC 8555, 7.3.1).
   * @throws {AcmeError}
   */
  async accountUri(): Promise<string> {
    if (this.#accountUri !== undefined) return this.#accountUri
    const { newAccount } = await this.#openDirectory()
    const answer = await this.#post(newAccount, { termsOfServiceAgreed: true })
    const { status } = parseAcme(answer, accountSchema)
    if (status !== 'valid') throw new AcmeError(`the account is ${status}`)
    this.#accountUri = locationOf(answer)
    return this.#accountUri
  }

  /**
   * Obtains a certificate. The server may return an order that another machine with the same account has just created,
   * and that machine may finalize it first. The certificate is then for the other machine's key.
   * @param request certificate signing request, in DER
   * @returns the chain in PEM, with the leaf certificate first
   * @throws {AcmeError}
   */
  async certificate(domain: string, request: Uint8Array): Promise<string> {
    await this.accountUri()
    const { newOrder } = await this.#openDirectory()
    const created = await this.#post(newOrder, {
      identifiers: [{ type: 'dns', value: domain }],
    })
    const orderUrl = locationOf(created)
    const { authorizations, finalize } = parseAcme(created, orderSchema)
    for (const url of authorizations) await this.#authorize(url)
    const open = await this.#pollOrder(orderUrl, ({ status }) => status !== 'pending')
    if (open.status === 'ready') await this.#finalize(finalize, request)
    const { certificate } = await this.#pollOrder(orderUrl, ({ status }) => status === 'valid')
    if (certificate === undefined) throw new AcmeError('a valid order has no certificate')
    return (await this.#post(certificate, undefined, 'application/pem-certificate-chain')).text
  }

  async #authorize(url: string): Promise<void> {
    const { status, challenges } = parseAcme(await this.#post(url, undefined), authorizationSchema)
    if (status === 'valid') return
    const challenge = challenges.find(({ type }) => type === 'http-01')
    if (!challenge) throw new AcmeError('the server offers no http-01 challenge')
    await this.#post(challenge.url, {})
    const authorization = await this.#poll(
      url,
      authorizationSchema,
      (found) => found.status !== 'pending',
    )
    if (authorization.status === 'valid') return
    const error = authorization.challenges.find((found) => found.error)?.error
    throw problemError(error, `the authorization is ${authorization.status}`)
  }

  /** A refusal because another machine has finalized the order is ignored: polling shows the result. */
  async #finalize(url: string, request: Uint8Array): Promise<void> {
    try {
      await this.#post(url, { csr: Buffer.from(request).toString('base64url') })
    } catch (error) {
      if (!(error instanceof AcmeError) || !error.type?.endsWith(':orderNotReady')) throw error
    }
  }

  async #pollOrder(url: string, isDone: (order: Order) => boolean): Promise<Order> {
    const order = await this.#poll(
      url,
      orderSchema,
      (found) => isDone(found) || found.status === 'invalid',
    )
    if (order.status === 'invalid') throw problemError(order.error, 'the order is invalid')
    return order
  }

  async #poll<Shape>(
    url: string,
    schema: z.ZodType<Shape>,
    isDone: (found: Shape) => boolean,
  ): Promise<Shape> {
    const { sleep, signal } = this.#options
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      if (polls > 0) await sleep(POLL_MS, signal)
      const found = parseAcme(await this.#post(url, undefined), schema)
      if (isDone(found)) return found
    }
    throw new AcmeError('the server did not complete the order in time')
  }

  async #openDirectory() {
    if (this.#directory) return this.#directory
    const answer = await this.#fetch(this.#options.directoryUrl, {})
    if (answer.status !== 200) throw responseError(answer)
    this.#directory = parseAcme(answer, directorySchema)
    return this.#directory
  }

  /** Sends a signed request (RFC 8555, 6.2), and repeats it if the server does not accept its nonce. */
  async #post(url: string, payload: Payload, accept = 'application/json'): Promise<AcmeResponse> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/jose+json', accept },
        body: this.#signed(url, payload, await this.#takeNonce()),
      })
      if (answer.status === 200 || answer.status === 201) return answer
      const error = responseError(answer)
      if (!error.type?.endsWith(':badNonce') || attempt === NONCE_ATTEMPTS) throw error
    }
  }

  #signed(url: string, payload: Payload, nonce: string): string {
    const { key } = this.#options
    const identity = this.#accountUri === undefined ? { jwk: key.jwk } : { kid: this.#accountUri }
    const header = base64url(JSON.stringify({ alg: 'ES256', ...identity, nonce, url }))
    const body = payload === undefined ? '' : base64url(JSON.stringify(payload))
    const signature = key.sign(`${header}.${body}`)
    return JSON.stringify({ protected: header, payload: body, signature })
  }

  async #takeNonce(): Promise<string> {
    if (this.#nonce === undefined) {
      const { newNonce } = await this.#openDirectory()
      await this.#fetch(newNonce, { method: 'HEAD' })
    }
    const nonce = this.#nonce
    if (nonce === undefined) throw new AcmeError('the server returned no nonce')
    this.#nonce = undefined
    return nonce
  }

  async #fetch(url: string, init: RequestInit): Promise<AcmeResponse> {
    const { fetch: send, signal } = this.#options
    const timeout = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const headers = { 'user-agent': 'svc-origin', ...init.headers }
    try {
      const answer = await send(url, {
        ...init,
        headers,
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      })
      this.#nonce = answer.headers.get('replay-nonce') ?? this.#nonce
      const bytes = await readBoundedBody(answer, RESPONSE_MAX_BYTES)
      if (!bytes) throw new AcmeError('the response of the server is too large')
      return {
        status: answer.status,
        headers: answer.headers,
        text: new TextDecoder().decode(bytes),
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof AcmeError) throw error
      throw new AcmeError(`the server does not respond (${causeCode(error)})`, { cause: error })
    }
  }
}

function parseAcme<Shape>({ text }: AcmeResponse, schema: z.ZodType<Shape>): Shape {
  const parsed = schema.safeParse(tryParseJson(text))
  if (parsed.success) return parsed.data
  throw new AcmeError(
    `unexpected response of the server: ${parsed.error.issues[0]?.path.join('.')}`,
  )
}

function locationOf({ headers }: AcmeResponse): string {
  const location = headers.get('location')
  if (location === null) throw new AcmeError('the server returned no location')
  return location
}

function responseError({ status, text }: AcmeResponse): AcmeError {
  const { data } = problemSchema.safeParse(tryParseJson(text))
  return problemError(data, `the server responded with ${status}`)
}

function problemError(
  problem: z.infer<typeof problemSchema> | undefined,
  otherwise: string,
): AcmeError {
  const { type, detail } = problem ?? {}
  if (type === undefined) return new AcmeError(otherwise)
  return new AcmeError(`${type}${detail === undefined ? '' : `: ${detail}`}`, { type })
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}
