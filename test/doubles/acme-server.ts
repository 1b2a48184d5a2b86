/**
 * ACME server (RFC 8555) with HTTP-01 challenges, as Let's Encrypt runs it: it checks each signature and nonce, requests
 * challenges several times as if from several networks, reuses pending orders and valid authorizations of an account,
 * and obeys CAA records that name accounts (RFC 8657).
 */
import { createHash, createPublicKey, randomBytes, verify, type webcrypto } from 'node:crypto'
import { request as sendRequest } from 'node:http'
import * as x509 from '@peculiar/x509'
import type { Authority } from './certificates.ts'
import { type Received, startWebServer } from './web-server.ts'

type Jwk = { kty: 'EC'; crv: 'P-256'; x: string; y: string }
type Account = { uri: string; jwk: Jwk; thumbprint: string }
type Order = {
  account: Account
  domain: string
  status: 'pending' | 'ready' | 'processing' | 'valid'
  chain?: string
}
type Authorization = {
  account: Account
  domain: string
  token: string
  status: 'pending' | 'valid' | 'invalid'
  detail?: string
}
type Answer = { status?: number; body?: object | string; headers?: Record<string, string> }

/** Networks from which a challenge is requested (multi-perspective validation). */
const PERSPECTIVES = 4

class Problem extends Error {
  readonly type: string
  constructor(type: string, detail: string) {
    super(detail)
    this.type = type
  }
}

export type AcmeServer = Awaited<ReturnType<typeof startAcmeServer>>

/** @param challengePort stands for port 80 of every domain; can be set once the servers that answer are started */
export async function startAcmeServer(
  authority: Authority,
  { challengePort = 0, days = 90 }: { challengePort?: number; days?: number } = {},
) {
  const nonces = new Set<string>()
  const accounts = new Map<string, Account>()
  const orders: Order[] = []
  const authorizations: Authorization[] = []
  const control = {
    challengePort,
    /** Lifetime of the certificates that are issued, in days. */
    days,
    /** Accounts that the CAA records of all domains name; undefined if there are no records. */
    caa: undefined as readonly string[] | undefined,
    /** Called while an order is ready, before it is finalized. */
    beforeFinalize: async () => {},
    /** Problem types with which the next signed requests are rejected. */
    problems: [] as string[],
  }

  const url = (path: string) => `http://127.0.0.1:${server.port}/acme${path}`
  const orderAt = (id: string) => found(orders[Number(id)])
  const authorizationAt = (id: string) => found(authorizations[Number(id)])

  async function answer(request: Received): Promise<Answer> {
    const path = request.url.replace(/^\/acme/, '')
    if (path === '/directory')
      return {
        body: {
          newNonce: url('/new-nonce'),
          newAccount: url('/new-account'),
          newOrder: url('/new-order'),
        },
      }
    if (path === '/new-nonce') return {}
    const { account, jwk, payload } = opened(request, url(path))
    if (path === '/new-account') return register(jwk)
    if (!account) throw new Problem('accountDoesNotExist', 'no such account')
    const [, kind = '', id = ''] = path.split('/')
    switch (kind) {
      case 'new-order':
        return newOrder(account, payload.identifiers[0])
      case 'order':
        return { body: shownOrder(orderAt(id)) }
      case 'authorization':
        return { body: shownAuthorization(authorizationAt(id)) }
      case 'challenge':
        await validate(authorizationAt(id))
        return { body: { type: 'http-01', url: url(path), status: 'processing' } }
      case 'finalize':
        return finalize(orderAt(id), payload.csr)
      case 'certificate':
        return { body: orderAt(id).chain! }
    }
    throw new Problem('malformed', `no such path: ${path}`)
  }

  /** Checks a signed request (RFC 8555, 6.2 to 6.5). */
  function opened({ method, body, headers }: Received, expectedUrl: string) {
    if (method !== 'POST' || headers['content-type'] !== 'application/jose+json')
      throw new Problem('malformed', 'expected a POST request with a JWS')
    const jws = JSON.parse(body)
    const header = JSON.parse(decoded(jws.protected))
    if (header.alg !== 'ES256') throw new Problem('badSignatureAlgorithm', header.alg)
    if (header.url !== expectedUrl) throw new Problem('unauthorized', 'the url is another')
    if (!nonces.delete(header.nonce)) throw new Problem('badNonce', 'the nonce is unknown')
    const [problem] = control.problems.splice(0, 1)
    if (problem !== undefined) throw new Problem(problem, 'as the test demands')
    const account = [...accounts.values()].find(({ uri }) => uri === header.kid)
    const jwk: Jwk = account ? account.jwk : header.jwk
    if (!jwk) throw new Problem('accountDoesNotExist', 'no such account')
    const isSigned = verify(
      'sha256',
      Buffer.from(`${jws.protected}.${jws.payload}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(jws.signature, 'base64url'),
    )
    if (!isSigned) throw new Problem('unauthorized', 'the signature is invalid')
    return {
      account,
      jwk,
      payload: jws.payload === '' ? undefined : JSON.parse(decoded(jws.payload)),
    }
  }

  function register({ crv, kty, x, y }: Jwk): Answer {
    const jwk = { crv, kty, x, y }
    const thumbprint = createHash('sha256').update(JSON.stringify(jwk)).digest('base64url')
    const known = accounts.get(thumbprint)
    const account = known ?? { uri: url(`/account/${accounts.size + 1}`), jwk, thumbprint }
    accounts.set(thumbprint, account)
    return {
      status: known ? 200 : 201,
      body: { status: 'valid' },
      headers: { location: account.uri },
    }
  }

  function newOrder(
    account: Account,
    { type, value: domain }: { type: string; value: string },
  ): Answer {
    if (type !== 'dns') throw new Problem('unsupportedIdentifier', type)
    let at = orders.findIndex(
      (order) =>
        order.account === account &&
        order.domain === domain &&
        ['pending', 'ready'].includes(order.status),
    )
    if (at === -1) at = orders.push({ account, domain, status: 'pending' }) - 1
    const order = orders[at]!
    authorizationOf(order)
    return { status: 201, body: shownOrder(order), headers: { location: url(`/order/${at}`) } }
  }

  /** Returns the latest authorization, which is reused unless it failed. */
  function authorizationOf({ account, domain }: Order): Authorization {
    const known = authorizations.findLast(
      (one) => one.account === account && one.domain === domain && one.status !== 'invalid',
    )
    if (known) return known
    const token = randomBytes(24).toString('base64url')
    const made: Authorization = { account, domain, token, status: 'pending' }
    authorizations.push(made)
    return made
  }

  function shownOrder(order: Order) {
    const authorization = authorizationOf(order)
    if (order.status === 'pending' && authorization.status === 'valid') order.status = 'ready'
    const at = orders.indexOf(order)
    return {
      status: order.status,
      authorizations: [url(`/authorization/${authorizations.indexOf(authorization)}`)],
      finalize: url(`/finalize/${at}`),
      ...(order.chain !== undefined && { certificate: url(`/certificate/${at}`) }),
    }
  }

  function shownAuthorization(one: Authorization) {
    const error = one.detail && {
      type: 'urn:ietf:params:acme:error:unauthorized',
      detail: one.detail,
    }
    const challenge = {
      type: 'http-01',
      url: url(`/challenge/${authorizations.indexOf(one)}`),
      token: one.token,
      status: one.status,
      ...(error && { error }),
    }
    return { status: one.status, challenges: [{ ...challenge, type: 'dns-01' }, challenge] }
  }

  async function validate(one: Authorization): Promise<void> {
    const path = `/.well-known/acme-challenge/${one.token}`
    for (let n = 0; n < PERSPECTIVES && one.status === 'pending'; n++) {
      const text = await get(control.challengePort, path, one.domain).catch(String)
      if (text.trimEnd() !== `${one.token}.${one.account.thumbprint}`) {
        one.status = 'invalid'
        one.detail = `the response to the challenge was ${text.slice(0, 100)}`
      }
    }
    if (one.status === 'pending') one.status = 'valid'
  }

  async function finalize(order: Order, csr: string): Promise<Answer> {
    await control.beforeFinalize()
    // Shows the status ready if the authorization has become valid.
    shownOrder(order)
    if (control.caa && !control.caa.includes(order.account.uri))
      throw new Problem('caa', `CAA records do not allow ${order.account.uri}`)
    const request = new x509.Pkcs10CertificateRequest(Buffer.from(csr, 'base64url'))
    const publicKey = (await request.publicKey.export()) as webcrypto.CryptoKey
    if (!(await request.verify())) throw new Problem('badCSR', 'the signature is invalid')
    const names = request.extensions.find(
      (extension) => extension instanceof x509.SubjectAlternativeNameExtension,
    )?.names.items
    if (names?.length !== 1 || names[0]!.value !== order.domain)
      throw new Problem('badCSR', 'the names are not those of the order')
    if (order.status !== 'ready') throw new Problem('orderNotReady', `the order is ${order.status}`)
    order.status = 'processing'
    const leaf = await authority.certify(publicKey, { names: [order.domain], to: control.days })
    order.chain = `${leaf}\n${authority.pem}\n`
    order.status = 'valid'
    return { body: shownOrder(order) }
  }

  const server = await startWebServer((request, response) => {
    const nonce = randomBytes(16).toString('base64url')
    nonces.add(nonce)
    answer(request)
      .catch((error: unknown): Answer => {
        if (!(error instanceof Problem)) throw error
        const type = `urn:ietf:params:acme:error:${error.type}`
        return { status: 400, body: { type, detail: error.message } }
      })
      .then(({ status = 200, body = '', headers = {} }) => {
        response.writeHead(status, { 'replay-nonce': nonce, ...headers })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      })
      .catch((error: unknown) => response.writeHead(500).end(String(error)))
  })

  return {
    directoryUrl: url('/directory'),
    control,
    accounts: () => [...accounts.values()].map(({ uri }) => uri),
    /** Number of certificates issued. */
    issued: () => orders.filter(({ status }) => status === 'valid').length,
    authorizations: () => authorizations.length,
    close: server.close,
  }
}

function get(port: number, path: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host }, agent: false }
    sendRequest(options, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(text))
    })
      .on('error', reject)
      .end()
  })
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64url').toString()
}

function found<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Problem('malformed', 'not found')
  return value
}
