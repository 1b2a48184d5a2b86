/** The core API through the edge: the same client as for the origin, and the same responses. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { Contract, isAddress, JsonRpcProvider, Wallet } from 'ethers'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { loadTls } from '../../origin/tls.ts'
import { accountConfigAbi } from '../../shared/abi/account-config.ts'
import { SEALED_PAD_MS } from '../../shared/limits.ts'
import { accountHashOfWallet } from '../../shared/crypto/typed-data.ts'
import { SERVED_OF_THE_CORE } from '../conformance/areas.ts'
import { holdsToTheContract } from '../conformance/suite.ts'
import { type ManInTheMiddle, startManInTheMiddle } from '../doubles/man-in-the-middle.ts'
import { grants } from '../origin/accounts/mirrored.ts'
import { signedBy, walletAuth } from '../origin/http/signed-request.ts'
import { attestationTools } from './attestation-tools.ts'
import { aManInTheMiddleGetsNothing } from './man-in-the-middle.ts'
import { type StartedStack, startStack } from './stack.ts'

const CHROMIUM = '/usr/bin/chromium'

let stack: StartedStack
/** Proxy that carries all requests from the edge to the origin. */
let man: ManInTheMiddle
beforeAll(async () => {
  stack = await startStack({
    edgeSettings: async (stateDir) => {
      await loadTls(stateDir)
      man = await startManInTheMiddle(stateDir, () => stack.baseUrl)
      return { ORIGIN_URL: man.url }
    },
  })
})
afterAll(async () => {
  await stack.stop()
  await man.close()
})

const throughTheEdge = async () => ({
  ...stack,
  baseUrl: stack.triggersUrl,
  tools: { accountChain: attestationTools(stack.stack).accountChain },
  stop: async () => {},
})
holdsToTheContract(throughTheEdge, SERVED_OF_THE_CORE)
aManInTheMiddleGetsNothing(() => ({ stack, man }))

type Call = { key?: string; body?: object; headers?: Record<string, string>; signal?: AbortSignal }

async function core(name: string, { key, body, headers = {}, signal }: Call = {}) {
  const response = await fetch(`${stack.triggersUrl}/core/v1/${name}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  const answer: any = await response.json()
  return { status: response.status, headers: response.headers, body: answer }
}

const rest = (ms: number) => new Promise((resume) => setTimeout(resume, ms))
const sleeps = (ms: number) =>
  `const main = () => new Promise((done) => setTimeout(() => done('slept'), ${ms}))`

describe('the core API at the edge', () => {
  let key: string
  beforeAll(async () => {
    const account = { account_name: 'front', account_description: '' }
    key = (await core('new_account', { body: account })).body.api_key
  })
  const balance = async () => (await core('billing/balance', { key })).body.balance_cents

  it('answers an action that outlasts typical proxy timeouts', { timeout: 60_000 }, async () => {
    const answer = await core('svc_action', {
      key,
      body: { code: sleeps(SEALED_PAD_MS + 1_500) },
    })
    expect([answer.status, answer.body.response]).toEqual([200, 'slept'])
  })

  it('completes and charges a run once if its client disconnects', async () => {
    const before = await balance()
    const call = { key, body: { code: sleeps(900) }, headers: { 'idempotency-key': 'gone' } }
    const gone = new AbortController()
    const first = core('svc_action', { ...call, signal: gone.signal }).catch(() => 'gone')
    await rest(500)
    gone.abort()
    expect(await first).toBe('gone')
    await rest(1_200)
    const again = await core('svc_action', call)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await balance()).toBe(before - 1)
  })

  it('accepts a source close to the maximum size', { timeout: 60_000 }, async () => {
    const code = `const main = () => 'large' /* ${'x'.repeat(15 * 1024 * 1024)} */`
    const answer = await core('svc_action', { key, body: { code } })
    expect([answer.status, answer.body.response]).toEqual([200, 'large'])
  })

  it('returns the same bytes and content type as the origin', async () => {
    for (const path of ['/core/v1/openapi.json', '/core/v1/limits', '/get_node_chain_config']) {
      const [passed, direct] = await Promise.all(
        [stack.triggersUrl, stack.baseUrl].map((url) => fetch(url + path)),
      )
      expect(await passed!.text()).toBe(await direct!.text())
      const type = passed!.headers.get('content-type')
      expect(type).toBe(direct!.headers.get('content-type'))
    }
  })

  it.skipIf(!existsSync(CHROMIUM))(
    'isolates a page of the origin from the edge in a sandboxed opaque origin',
    async () => {
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] })
      const page = await browser.newPage()
      await page.goto(`${stack.triggersUrl}/core/v1/swagger-ui`)
      await page.locator('.opblock').first().waitFor()
      expect(await page.evaluate('self.origin')).toBe('null')
      await expect(page.evaluate('document.cookie')).rejects.toThrow(/sandboxed/)
      await expect(page.evaluate("fetch('/sign-in')")).rejects.toThrow()
      await browser.close()
    },
  )

  it('path smuggling: raw request targets reach only the open paths', async () => {
    for (const target of [
      '/core/v1/../../sealed/execute',
      '/core/v1/%2e%2e/%2e%2e/sealed/execute',
      '/core/v1/..%2f..%2fsealed%2fexecute',
      '/core/v1/..\\..\\sealed\\execute',
      '/core/v1//version',
      'http://evil.test/sealed/execute',
    ]) {
      const [status] = await raw(`POST ${target} HTTP/1.1`, 'host: x', 'content-length: 0')
      expect([target, status]).toEqual([
        target,
        expect.stringMatching(/^HTTP\/1.1 (400|404|405|415) /),
      ])
    }
    const absolute = await raw('GET http://evil.test/core/v1/version HTTP/1.1', 'host: evil.test')
    expect(absolute[0]).toBe('HTTP/1.1 200 OK')
  })

  it('path confusion: a malformed or repeated Host is rejected and does not affect the path', async () => {
    for (const hosts of [['host: x/health?'], ['host: x/health#'], ['host: x', 'host: y']]) {
      const lines = await raw('GET /nothing HTTP/1.1', ...hosts)
      expect([hosts, lines[0]]).toEqual([hosts, 'HTTP/1.1 400 Bad Request'])
      expect(JSON.parse(lines.at(-1)!)).toMatchObject({ error: 'bad_request' })
    }
  })

  it.each(['/core/v1/new_account', '/agent/requests'])(
    'rejects malformed chunks in a body at %s with 400',
    async (path) => {
      const lines = await raw(
        `POST ${path} HTTP/1.1`,
        'host: x',
        'content-type: application/json',
        'transfer-encoding: chunked',
        '',
        'ZZ',
        '{}',
      )
      expect(lines[0]).toBe('HTTP/1.1 400 Bad Request')
      const text = lines.find((line) => line.startsWith('{'))!
      expect(JSON.parse(text)).toMatchObject({ error: 'bad_request' })
    },
  )

  it('answers non-HTTP input on the origin socket with a structured error', async () => {
    const { port } = new URL(stack.baseUrl)
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connectTls(Number(port), 'localhost', { rejectUnauthorized: false }, () =>
        socket.write('NOT HTTP\r\n\r\n'),
      )
      socket.on('data', (bytes) => (received += bytes.toString()))
      socket.on('error', reject)
      socket.on('close', () => resolve(received))
    })
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
    const [, body = ''] = text.split('\r\n\r\n')
    expect(JSON.parse(body)).toMatchObject({ error: 'bad_request' })
  })

  it('request smuggling: a body with two lengths reaches the origin as at most one request', async () => {
    const smuggled = 'GET /core/v1/version HTTP/1.1\r\nhost: x\r\n\r\n'
    const doubled = await raw(
      'POST /core/v1/new_account HTTP/1.1',
      'host: x',
      'content-type: application/json',
      `content-length: ${smuggled.length + 5}`,
      'transfer-encoding: chunked',
      '',
      `0\r\n\r\n${smuggled}`,
    )
    expect(doubled[0]).toMatch(/^HTTP\/1.1 4\d\d /)
    // Bytes left over on that connection must not affect other requests to the origin.
    expect((await core('version')).status).toBe(200)
  })

  it('returns non-ASCII header bytes unchanged', async () => {
    const lines = await raw(
      'GET /core/v1/version HTTP/1.1',
      'host: x',
      'x-api-key: x',
      'x-correlation-id: ü',
    )
    expect(lines).toContain('x-correlation-id: ü')
  })

  it('writes no forwarded API key to the files or logs of the edge', async () => {
    expect((await core('list_groups', { key })).status).toBe(200)
    const edgeFolder = join(dirname(stack.stack.caFile), '..', 'edge')
    const files = readdirSync(edgeFolder, { recursive: true, encoding: 'utf8' })
      .map((file) => join(edgeFolder, file))
      .filter((file) => statSync(file).isFile())
    expect(files.length).toBeGreaterThan(3)
    for (const file of files)
      expect([file, readFileSync(file).includes(key)]).toEqual([file, false])
    expect(stack.lines.filter((line) => line.includes(key))).toEqual([])
  })

  it('accepts a wallet signature in a body or header, and logs neither signature nor key', async () => {
    const provider = new JsonRpcProvider(stack.stack.chainUrl, undefined, { cacheTimeout: -1 })
    const admin = Wallet.createRandom().connect(provider)
    await provider.send('anvil_setBalance', [admin.address, '0x8ac7230489e80000'])
    const { body: chain } = await core('get_node_chain_config')
    const contract = new Contract(chain.contract_address, accountConfigAbi, admin)
    await (await contract.getFunction('newChainSecuredAccount').send('by wallet', '')).wait()
    provider.destroy()
    const here = { services: { now: Date.now, chain: { chainId: BigInt(chain.chain_id) } } }
    const headers = await walletAuth(admin, here)
    await vi.waitFor(
      async () => expect((await core('billing/balance', { headers })).status).toBe(200),
      { timeout: 20_000, interval: 100 },
    )
    const made = await core('create_wallet_with_signature', {
      body: await signedBy(admin, 'CreateWallet', here),
    })
    expect([made.status, isAddress(made.body.wallet_address)]).toEqual([200, true])
    const added = await core('add_usage_api_key_with_signature', {
      body: { ...(await signedBy(admin, 'AddUsageApiKey', here)), name: 'by wallet' },
    })
    expect(added.status).toBe(200)
    for (const secret of [headers['x-wallet-auth']!, added.body.usage_api_key])
      expect(stack.lines.filter((line) => line.includes(secret))).toEqual([])
  })

  it('runs an action with a usage key that an admin registered on-chain, whatever its text', async () => {
    const provider = new JsonRpcProvider(stack.stack.chainUrl, undefined, { cacheTimeout: -1 })
    const admin = Wallet.createRandom().connect(provider)
    await provider.send('anvil_setBalance', [admin.address, '0x8ac7230489e80000'])
    const { body: chain } = await core('get_node_chain_config')
    const contract = new Contract(chain.contract_address, accountConfigAbi, admin)
    const write = async (name: string, ...args: unknown[]) =>
      (await contract.getFunction(name).send(...args)).wait()
    const account = accountHashOfWallet(admin.address)
    const own = `my own key ${crypto.randomUUID()}`
    await write('newChainSecuredAccount', 'own keys', '')
    await write('addGroup', account, 'all', '', [], [0])
    await write('setUsageApiKey', account, apiKeyHash(own), grants({ executeInGroups: [1] }))
    provider.destroy()
    const run = () => core('svc_action', { key: own, body: { code: sleeps(0) } })
    await vi.waitFor(async () => expect((await run()).status).toBe(200), {
      timeout: 20_000,
      interval: 100,
    })
    expect((await core('svc_action', { key: `${own}x`, body: { code: sleeps(0) } })).status).toBe(
      401,
    )
  })

  it('allows cross-origin requests with X-Wallet-Auth', async () => {
    const answer = await fetch(`${stack.triggersUrl}/core/v1/billing/balance`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-wallet-auth',
      },
    })
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-Wallet-Auth')
  })

  it('answers 503 with Retry-After while the origin is down, and recovers', async () => {
    await stack.stack.kill('origin')
    for (const call of [{ key, body: { code: sleeps(0) } }, {}]) {
      const answer = await core('body' in call ? 'svc_action' : 'version', call)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
      expect(Object.keys(answer.body).toSorted()).toEqual(['docs_url', 'error', 'fix', 'message'])
    }
    await stack.stack.startComponent('origin')
    expect((await core('svc_action', { key, body: { code: sleeps(0) } })).status).toBe(200)
  })
})

/** Sends lines verbatim over a new connection. @returns the lines of the responses */
function raw(...lines: string[]): Promise<string[]> {
  const { port } = new URL(stack.triggersUrl)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), '127.0.0.1', () => {
      const text = lines.includes('')
        ? lines.join('\r\n')
        : [...lines, 'connection: close', '', ''].join('\r\n')
      socket.write(Buffer.from(text))
      setTimeout(() => socket.destroy(), 3_000).unref()
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString().split('\r\n')))
  })
}
