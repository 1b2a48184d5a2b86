/** `svc verify wallet` at a real origin with its contract, and offline with what it saved. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WalletProof } from '../../../../shared/cli/wallet-proof/bundle.ts'
import { parsePolicy } from '../../../../shared/policies/policy.ts'
import { startWebServer } from '../../../doubles/web-server.ts'
import { showEvidence } from '../../../origin/client/client-of.ts'
import { startOrigin, type TestOrigin } from '../../../origin/http/origin.ts'
import { svc } from '../command-line.ts'

const GREETINGS = {
  version: 1,
  change_delay_s: 3_600,
  sums: [{ name: 'an hour', of: 'signatures', window_s: 3_600, max: '5' }],
  rules: [
    {
      name: 'greet',
      effect: 'allow',
      kind: 'message',
      messages: [{ prefix: 'greetings, ' }],
      sums: ['an hour'],
    },
  ],
}
const TIGHTER = { ...GREETINGS, sums: [{ ...GREETINGS.sums[0]!, max: '4' }] }
const LOOSER = { ...GREETINGS, sums: [{ ...GREETINGS.sums[0]!, max: '9' }] }
const hashOf = (policy: object) => parsePolicy(JSON.stringify(policy)).hash

const GREET = `async function main({ pkpId, name }) {
  return Svc.Actions.signMessage({ pkpId, message: 'greetings, ' + name })
}`

let origin: TestOrigin
let server: ReturnType<typeof serve>
let key: string
let wallet: string
let words: string[]
let environment: Record<string, string>
const folder = mkdtempSync(join(tmpdir(), 'svc-wallet-proof-'))
const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

beforeAll(async () => {
  origin = await startOrigin()
  await showEvidence(origin)
  server = serve({ fetch: origin.app.fetch, hostname: '127.0.0.1', port: 0 })
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  key = await origin.account()
  wallet = (await origin.policyWallet(key, GREETINGS)).wallet_address
  words = ['--rpc-url', origin.rpcUrl]
  environment = {
    SVC_CONFIG_DIR: join(folder, 'config'),
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_API_KEY: key,
  }
  const group = await origin.group(key, { pkp_ids_permitted: [wallet], cid_hashes_permitted: [0] })
  const usage = await origin.usageKey(key, { execute_in_groups: [group] })
  const greet = async (name: string) => {
    const { body } = await origin.run(usage, GREET, { pkpId: wallet, name })
    return body.receipt as string
  }
  const unrelated = (await origin.run(usage, 'async function main() { return 1 }')).body.receipt
  const before = await greet('Ada')
  await origin.core('set_wallet_policy', { key, body: { pkp_id: wallet, policy: TIGHTER } })
  write('receipts.txt', [unrelated, before, await greet('Bob')].join('\n'))
  await origin.core('set_wallet_policy', { key, body: { pkp_id: wallet, policy: LOOSER } })
  write('former.json', JSON.stringify(GREETINGS))
})
afterAll(async () => {
  server.close()
  await origin.close()
  rmSync(folder, { recursive: true })
})

const run = (...more: string[]) => svc(['verify', 'wallet', ...more], { folder, environment })
const live = (...more: string[]) => run(wallet, ...words, ...more)

describe('svc verify wallet', () => {
  it('shows what holds, from the evidence, the contract, the documents and the receipts', async () => {
    const ran = await live('--receipts', 'receipts.txt', '--policy', 'former.json')
    expect(ran).toMatchObject({ code: 3, err: '' })
    expect(ran.out).toContain(`wallet        ${wallet} of the account ${origin.hashOf(key)}`)
    expect(ran.out).toContain('key           derived for policies: no operation of the application')
    expect(ran.out).toContain(`on chain 31337, as of block `)
    expect(ran.out).toMatch(
      new RegExp(`policy        ${hashOf(TIGHTER)} since .*; changes that loosen it wait 1 hour`),
    )
    expect(ran.out).toMatch(new RegExp(`pending       ${hashOf(LOOSER)} from `))
    expect(ran.out).toMatch(new RegExp(`former        ${hashOf(GREETINGS)} from `))
    expect(ran.out).toContain('1. greet: allows messages')
    expect(ran.out).toContain('4 of 5 remained of the sum an hour')
    expect(ran.out).toContain('2 of 4 remained of the sum an hour')
    expect(ran.out).toMatch(/nothing is known of later blocks/)
    expect(ran.out).toMatch(/^SIMULATED: the wallet signs only what the policy allows/m)
  })

  it('saves a bundle that says the same offline', async () => {
    const shown = await live('--receipts', 'receipts.txt', '--save', 'wallet.json', '--json')
    const offline = await run(wallet, '--bundle', 'wallet.json', '--json')
    expect([shown.code, offline.code]).toEqual([3, 3])
    const [online, read] = [JSON.parse(shown.out), JSON.parse(offline.out)]
    expect({ ...read, at: online.at }).toEqual(online)
    expect(read).toMatchObject({
      policy: { hash: hashOf(TIGHTER), document: TIGHTER },
      pending: { policy_hash: hashOf(LOOSER) },
      signatures: [{ rule: 'greet' }, { rule: 'greet' }],
    })
    expect(read.open.join('\n')).toContain('Documents of other policies that are not there: 1.')
  })

  it('is used as docs/policies.md shows', async () => {
    const page = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8')
    const commands = [...page.matchAll(/^svc (verify wallet .*)$/gm)].map(([, command]) => command!)
    expect(commands).toHaveLength(2)
    for (const command of commands) {
      const filled = command.replace('$WALLET', wallet).replace('$RPC_URL', origin.rpcUrl)
      const ran = await svc(filled.split(' '), { folder, environment })
      expect(ran).toMatchObject({ code: 3, err: '' })
    }
  })

  it('refuses a changed bundle with 1, and another application', async () => {
    await live('--save', 'wallet.json')
    const proof = JSON.parse(readFileSync(join(folder, 'wallet.json'), 'utf8')) as WalletProof
    proof.chain.events.splice(1, 1)
    write('changed.json', JSON.stringify(proof))
    const changed = await run(wallet, '--bundle', 'changed.json')
    expect(changed.code).toBe(1)
    expect(changed.out).toMatch(/^FAILED: an event replaces the policy/m)
    const other = await run(wallet, '--bundle', 'wallet.json', '--compose-hash', 'ab'.repeat(32))
    expect(other.code).toBe(1)
    expect(other.out).toMatch(/^FAILED: the evidence failed the rule "compose hash"/m)
  })

  it('refuses a wallet whose key actions can get', async () => {
    const { wallet_address } = await origin.wallet(key)
    const ran = await run(wallet_address, ...words, '--json')
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.out)).toMatchObject({ verdict: 'FAILED', flaw: 'exportable' })
  })

  it('refuses what a lying node reports', async () => {
    const node = await startWebServer(({ body }, response) => {
      const { method } = JSON.parse(body)
      void fetch(origin.rpcUrl, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
        .then(async (answer) => (await answer.json()) as { result: unknown[] })
        .then((answer) => {
          // Hides the latest event.
          if (method === 'eth_getLogs') answer.result.pop()
          response.end(JSON.stringify(answer))
        })
    })
    const ran = await live('--rpc-url', `http://127.0.0.1:${node.port}`, '--save', 'lie.json')
    await node.close()
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/^FAILED: the contract records the policy/m)
    expect(existsSync(join(folder, 'lie.json'))).toBe(true)
  })

  it('reads the events of a node that limits the range of blocks', async () => {
    const ranges: number[] = []
    const node = await startWebServer(({ body }, response) => {
      const { id, method, params } = JSON.parse(body)
      const { fromBlock, toBlock } = params[0] ?? {}
      const range = method === 'eth_getLogs' ? Number(toBlock) - Number(fromBlock) + 1 : 0
      ranges.push(range)
      if (range > 700)
        return response.end(JSON.stringify({ id, error: { code: -32005, message: 'range' } }))
      return void fetch(origin.rpcUrl, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
        .then((answer) => answer.text())
        .then((text) => response.end(text))
    })
    const mine = await fetch(origin.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'anvil_mine',
        params: ['0x514', '0x0'],
      }),
    })
    expect(mine.ok).toBe(true)
    const ran = await live('--rpc-url', `http://127.0.0.1:${node.port}`)
    await node.close()
    expect(ran.code, ran.out).toBe(3)
    expect(ranges.filter((range) => range > 0).length).toBeGreaterThan(2)
  })

  it('reports a node that does not respond', async () => {
    const ran = await live('--rpc-url', 'http://127.0.0.1:9')
    expect(ran.code).toBe(1)
    expect(ran.out).toMatch(/^FAILED: the node does not respond/m)
  })

  it.each([
    ['no address', ['0x12', '--bundle', 'wallet.json'], 'wallet: expected an address'],
    ['a node that is not set', [], 'use --rpc-url'],
    ['a file that is not there', [`0x${'11'.repeat(20)}`, '--bundle', 'none.json'], '--bundle'],
    [
      '--save with --bundle',
      [`0x${'11'.repeat(20)}`, '--bundle', 'wallet.json', '--save', 'x'],
      'without the network',
    ],
  ])('exits with 2 for %s', async (_, given, reason) => {
    const all = given.length === 0 ? [wallet] : given
    const ran = await run(...all)
    expect(ran.code).toBe(2)
    expect(ran.err).toContain(reason)
  })

  it('exits with 2 if no receipt names the wallet', async () => {
    const [unrelated] = readFileSync(join(folder, 'receipts.txt'), 'utf8').split('\n')
    write('unrelated.txt', unrelated!)
    const ran = await live('--receipts', 'unrelated.txt')
    expect([ran.code, ran.err]).toEqual([
      2,
      expect.stringContaining('names a signature of the wallet'),
    ])
  })
})
