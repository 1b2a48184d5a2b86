import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Keyring } from '../../../../origin/keys/keyring.ts'
import { acmeAccountKey } from '../../../../origin/tls/acme/account-key.ts'
import { AcmeClient } from '../../../../origin/tls/acme/acme-client.ts'
import { CertificateIssuer } from '../../../../origin/tls/acme/certificate-issuer.ts'
import { startChallengeServer } from '../../../../origin/tls/acme/challenge-server.ts'
import { readOperatorTls } from '../../../../origin/tls/operator-files.ts'
import { type AcmeServer, startAcmeServer } from '../../../doubles/acme-server.ts'
import { makeAuthority } from '../../../doubles/certificates.ts'
import {
  type LoadBalancer,
  localServers,
  startLoadBalancer,
} from '../../../doubles/load-balancer.ts'

const DOMAIN = 'origin.example'
const DAY_MS = 24 * 60 * 60 * 1000

let acme: AcmeServer
let keyring: Keyring
let closing: (() => unknown)[]
let logs: { event: string; reason: unknown }[]
beforeEach(async () => {
  acme = await startAcmeServer(await makeAuthority())
  keyring = new Keyring(randomBytes(32))
  closing = [() => acme.close()]
  logs = []
})
afterEach(async () => {
  for (const close of closing.toReversed()) await close()
})

const accountKey = (of = keyring) => acmeAccountKey(of.acmeAccountKey())

/** Starts the server that answers the domain's challenges. @returns its port */
async function answering(of = keyring): Promise<number> {
  const { thumbprint } = accountKey(of)
  const server: Server = await startChallengeServer(thumbprint, { port: 0, host: '127.0.0.1' })
  closing.push(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** A machine of the deployment, with a folder of its own. */
function machine() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-acme-'))
  const stopped = new AbortController()
  const waits: { ms: number; go: () => void }[] = []
  const clock = { at: Date.now() }
  closing.push(() => {
    stopped.abort()
    for (const { go } of waits) go()
    rmSync(folder, { recursive: true, force: true })
  })
  const issuer = new CertificateIssuer({
    client: new AcmeClient({
      directoryUrl: acme.directoryUrl,
      key: accountKey(),
      fetch,
      // The double completes everything within the request.
      sleep: async () => {},
      signal: stopped.signal,
    }),
    folder,
    domain: DOMAIN,
    now: () => clock.at,
    random: () => 1,
    sleep: (ms) => new Promise((resolve) => waits.push({ ms, go: resolve })),
    log: (event, facts = {}) => void logs.push({ event, reason: facts['reason'] }),
    signal: stopped.signal,
  })
  /** Waits until the issuer sleeps. @returns the delay */
  const delay = async () => {
    await expect.poll(() => waits.length).toBe(1)
    return waits[0]!.ms
  }
  return {
    folder,
    clock,
    issuer,
    delay,
    /** Lets the issuer check again, until it sleeps again. */
    next: async () => {
      await delay()
      waits.pop()!.go()
      return delay()
    },
    tls: () => readOperatorTls(folder, DOMAIN),
    leaf: () => new X509Certificate(readOperatorTls(folder, DOMAIN).chain),
  }
}

describe('the certificate of a machine', () => {
  it('is for the domain and a key of this machine, and only the account’s URI is written beside it', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    const { key, chain, acmeAccount } = one.tls()
    expect(one.leaf().checkHost(DOMAIN)).toBe(DOMAIN)
    expect(one.leaf().checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect(acmeAccount).toBe(`${JSON.stringify({ uri: acme.accounts()[0] })}\n`)
    expect(readdirSync(one.folder).toSorted()).toEqual([
      'acme-account.json',
      'fullchain.pem',
      'privkey.pem',
    ])
    expect(statSync(join(one.folder, 'privkey.pem')).mode & 0o777).toBe(0o600)
    expect(logs).toEqual([{ event: 'acme.issued', reason: undefined }])
  })

  it('is reused after a restart', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    await one.delay()
    const before = one.tls()
    expect(await one.next()).toBe(60 * 60 * 1000)
    expect([one.tls(), acme.issued()]).toEqual([before, 1])
  })

  it('is renewed with another key when a third of its lifetime is left', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    const before = one.tls()
    one.clock.at += 59 * DAY_MS
    await one.next()
    expect(one.tls()).toEqual(before)
    one.clock.at += 2 * DAY_MS
    await one.next()
    expect(one.tls().key).not.toBe(before.key)
    expect(acme.issued()).toBe(2)
  })

  it('is replaced if another account obtained it, because the CAA record names this one', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    writeFileSync(join(one.folder, 'acme-account.json'), '{"uri":"https://ca.example/other"}')
    await one.next()
    expect(one.tls().acmeAccount).toContain(acme.accounts()[0])
    expect(acme.issued()).toBe(2)
  })

  it('is kept if a renewal fails, which is retried at growing intervals', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    const before = one.tls()
    await acme.close()
    one.clock.at += 61 * DAY_MS
    const delays = [await one.next(), await one.next(), await one.next()]
    expect(delays.map((ms) => ms / 60_000)).toEqual([4, 8, 16])
    expect(one.tls()).toEqual(before)
    const reason = expect.stringMatching(/^the server does not respond \([A-Z_]+\)$/)
    const failed = { event: 'acme.failed', reason }
    expect(logs.slice(1)).toEqual([failed, failed, failed])
  })

  it('is awaited at the first start, and nothing is written before it is issued', async () => {
    acme.control.challengePort = await answering(new Keyring(randomBytes(32)))
    const one = machine()
    let isStarted = false
    const started = one.issuer.start().then(() => (isStarted = true))
    expect(await one.delay()).toBe(4 * 60_000)
    expect([isStarted, readdirSync(one.folder)]).toEqual([false, []])
    expect(logs[0]!.reason).toMatch(/unauthorized: the response to the challenge was/)
    acme.control.challengePort = await answering()
    await one.next()
    await started
    expect(readFileSync(join(one.folder, 'fullchain.pem'), 'utf8')).toContain('BEGIN CERTIFICATE')
  })

  it('is not ordered again if it could not be stored, whose reason is logged', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    const inTheWay = join(one.folder, 'fullchain.pem.new')
    mkdirSync(inTheWay)
    const started = one.issuer.start()
    await one.delay()
    expect(logs).toEqual([{ event: 'acme.failed', reason: 'the files cannot be written (EISDIR)' }])
    await one.next()
    rmSync(inTheWay, { recursive: true })
    await one.next()
    await started
    expect(one.leaf().checkHost(DOMAIN)).toBe(DOMAIN)
    expect(acme.issued()).toBe(1)
  })

  it('is not awaited at a start while the server is unavailable, if the old certificate has not expired', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    const before = one.tls()
    await acme.close()
    one.clock.at += 61 * DAY_MS
    await new CertificateIssuer(optionsOf(one)).start()
    expect(one.tls()).toEqual(before)
  })

  it('is awaited at a start if the old certificate has expired', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    await one.issuer.start()
    await acme.close()
    one.clock.at += 91 * DAY_MS
    let isStarted = false
    void new CertificateIssuer(optionsOf(one)).start().then(() => (isStarted = true))
    await expect.poll(() => logs.at(-1)?.event).toBe('acme.failed')
    expect(isStarted).toBe(false)
  })

  it.each([['badNonce'], ['badNonce', 'badNonce']])(
    'is obtained although the server refuses nonces: %s %s',
    async (...problems: string[]) => {
      acme.control.challengePort = await answering()
      acme.control.problems = problems
      await machine().issuer.start()
      expect(acme.issued()).toBe(1)
    },
  )

  it('is not obtained if the server refuses it because of a rate limit, and the reason is logged', async () => {
    acme.control.problems = ['rateLimited']
    const one = machine()
    one.issuer.start().catch(() => {})
    await one.delay()
    expect(logs[0]!.reason).toBe('urn:ietf:params:acme:error:rateLimited: as the test demands')
  })
})

describe('several machines behind one name', () => {
  let proxy: LoadBalancer
  beforeEach(async () => {
    proxy = await startLoadBalancer(localServers([await answering(), await answering()]))
    closing.push(() => proxy.close())
    acme.control.challengePort = proxy.port
  })

  it('use one account, which CAA names, and have a key and a certificate each', async () => {
    const [first, second] = [machine(), machine()]
    await first.issuer.start()
    acme.control.caa = acme.accounts()
    await second.issuer.start()
    expect(acme.accounts()).toHaveLength(1)
    expect(second.tls().acmeAccount).toBe(first.tls().acmeAccount)
    expect(second.tls().key).not.toBe(first.tls().key)
    expect(second.leaf().fingerprint256).not.toBe(first.leaf().fingerprint256)
  })

  it('obtain a certificate before the name points at the newcomer', async () => {
    // Only the machines of the round robin answer, and the newcomer is not among them.
    const newcomer = machine()
    await newcomer.issuer.start()
    expect([newcomer.leaf().checkHost(DOMAIN), acme.authorizations()]).toEqual([DOMAIN, 1])
  })

  it('obtain certificates at the same time, although the server gives them the same order', async () => {
    // All machines have the order before the first of them finalizes it.
    const all = [machine(), machine(), machine()]
    let arrived = 0
    const everyone = Promise.withResolvers<void>()
    acme.control.beforeFinalize = async () => {
      if (++arrived === all.length) everyone.resolve()
      if (arrived <= all.length) await everyone.promise
    }
    await Promise.all(all.map(({ issuer }) => issuer.start()))
    const keys = all.map(({ tls }) => tls().key)
    expect(new Set(keys).size).toBe(all.length)
    expect(logs.filter(({ event }) => event === 'acme.failed')).toEqual([])
  })
})

describe('attacks', () => {
  it('hijacked name: another account gets no certificate, although it can answer the challenge', async () => {
    acme.control.challengePort = await answering()
    await machine().issuer.start()
    acme.control.caa = acme.accounts()
    const attacker = new Keyring(randomBytes(32))
    acme.control.challengePort = await answering(attacker)
    const client = new AcmeClient({
      directoryUrl: acme.directoryUrl,
      key: accountKey(attacker),
      fetch,
      sleep: async () => {},
      signal: new AbortController().signal,
    })
    await expect(client.certificate(DOMAIN, new Uint8Array())).rejects.toMatchObject({
      name: 'AcmeError',
      type: 'urn:ietf:params:acme:error:caa',
    })
  })

  it('foreign challenge: an answer authorizes only the account of the deployment', async () => {
    acme.control.challengePort = await answering()
    const client = new AcmeClient({
      directoryUrl: acme.directoryUrl,
      key: accountKey(new Keyring(randomBytes(32))),
      fetch,
      sleep: async () => {},
      signal: new AbortController().signal,
    })
    await expect(client.certificate(DOMAIN, new Uint8Array())).rejects.toThrow(
      'the response to the challenge was',
    )
  })

  it('substituted certificate: a chain for another key is never written', async () => {
    acme.control.challengePort = await answering()
    const one = machine()
    const other = await (await makeAuthority()).issue({ names: [DOMAIN] })
    const issuer = new CertificateIssuer({
      ...optionsOf(one),
      client: {
        accountUri: async () => 'https://ca.example/acct/1',
        certificate: async () => `${other.cert}\n`,
      },
    })
    issuer.start().catch(() => {})
    await expect.poll(() => logs.length).toBe(1)
    expect(logs[0]!.reason).toContain('finalize every order first')
    expect(readdirSync(one.folder)).toEqual([])
  })

  it.each([
    ['/.well-known/acme-challenge/', 'GET'],
    ['/.well-known/acme-challenge/a%3Cscript%3E', 'GET'],
    ['/.well-known/acme-challenge/a/b', 'GET'],
    [`/.well-known/acme-challenge/${'a'.repeat(257)}`, 'GET'],
    ['/', 'GET'],
    ['/core/v1/version', 'GET'],
    ['/.well-known/acme-challenge/token', 'POST'],
  ])('reflection: the challenge server answers nothing but tokens: %s %s', async (path, method) => {
    const port = await answering()
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    expect([response.status, await response.text()]).toEqual([404, ''])
  })

  it('reflection: an answer is not rendered by browsers', async () => {
    const port = await answering()
    const response = await fetch(`http://127.0.0.1:${port}/.well-known/acme-challenge/token`)
    expect(await response.text()).toBe(`token.${accountKey().thumbprint}`)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})

/** Options of a second issuer for the folder of a machine, which does not sleep. */
function optionsOf({ folder, clock }: ReturnType<typeof machine>) {
  const stopped = new AbortController()
  closing.push(() => stopped.abort())
  const { signal } = stopped
  return {
    client: new AcmeClient({
      directoryUrl: acme.directoryUrl,
      key: accountKey(),
      fetch,
      sleep: async () => {},
      signal,
    }),
    folder,
    domain: DOMAIN,
    now: () => clock.at,
    random: () => 1,
    sleep: () => new Promise<void>(() => {}),
    log: (event: string, facts: { reason?: unknown } = {}) =>
      void logs.push({ event, reason: facts.reason }),
    signal,
  }
}
