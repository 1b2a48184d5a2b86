/** Every call of API mode, against a real origin over real HTTP. */
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { serve } from '@hono/node-server'
import { JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../../origin/http/operations.ts'
import type { ApiClient } from '../../../shared/client/api/client.ts'
import { createClient } from '../../../shared/client/client.ts'
import type { AuditEntry, AuditLogPage } from '../../../shared/client/core/audit-log.ts'
import type { ApiOptions } from '../../../shared/client/options.ts'
import { actionCid } from '../../../shared/cid/compute-cid.ts'
import { hasApiKeyFormat } from '../../../shared/wire/api-key.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import { showEvidence } from '../../origin/client/client-of.ts'
import { startOrigin, type TestOrigin } from '../../origin/http/origin.ts'

let origin: TestOrigin
let processor: ProcessorDouble
let server: ReturnType<typeof serve>
let baseUrl: string
let client: ApiClient
let apiKey: string
/** Operations that the client has called, as method and path. */
const called = new Set<string>()

beforeAll(async () => {
  processor = await startProcessor()
  origin = await startOrigin(processor)
  const address = await new Promise<AddressInfo>((listening) => {
    server = serve({ fetch: origin.app.fetch, hostname: '127.0.0.1', port: 0 }, listening)
  })
  baseUrl = `http://127.0.0.1:${address.port}`
  apiKey = await origin.account()
  client = clientOf({ apiKey })
})
afterAll(async () => {
  server.close()
  await Promise.all([origin.close(), processor.close()])
})

const urlOf = (input: Parameters<typeof fetch>[0]) =>
  input instanceof Request ? input.url : input.toString()
const recorded: typeof fetch = async (input, init) => {
  called.add(`${init?.method} ${new URL(urlOf(input)).pathname}`)
  return fetch(input, init)
}
const clientOf = (options: Partial<ApiOptions> = {}) =>
  createClient({ baseUrl, verify: 'never', fetch: recorded, ...options })

/** Loses the responses to requests for a path; the origin executes each request. */
function losing(path: string, times = 1): typeof fetch {
  let left = times
  return async (input, init) => {
    const response = await recorded(input, init)
    if (!urlOf(input).endsWith(path) || left-- <= 0) return response
    await response.body?.cancel()
    throw new TypeError('fetch failed')
  }
}
const AT_ONCE = { sleep: async () => {} }

const CODE = 'async function main({ n }) { console.log("counting"); return { twice: 2 * n } }'
const WHO =
  'async function main({ pkpId }) { return (await Svc.Actions.getPrivateKey({ pkpId })).length }'

describe('an account', () => {
  it('is created by a client without a key, which uses the new key from then on', async () => {
    const fresh = clientOf()
    await expect(fresh.createWallet()).rejects.toMatchObject({
      name: 'NotSent',
      code: 'no_api_key',
    })
    const { api_key, wallet_address } = await fresh.newAccount({ account_name: 'a' })
    expect(hasApiKeyFormat(api_key)).toBe(true)
    expect(wallet_address).toMatch(/^0x[0-9a-fA-F]{40}$/)
    expect(await fresh.accountExists()).toBe(true)
  })

  it('is not created again if the response is lost, and the error explains what to do', async () => {
    let sent = 0
    const lost = losing('/new_account', 9)
    const counting: typeof fetch = (input, init) => {
      sent++
      return lost(input, init)
    }
    const failed = await clientOf({ fetch: counting, ...AT_ONCE })
      .newAccount({ account_name: 'a' })
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(failed).toMatchObject({ fix: expect.stringContaining('Call newAccount again') })
    expect(sent).toBe(1)
  })

  it('is returned with the email address that it was created with', async () => {
    const fresh = clientOf({})
    const fields = { account_name: 'Ada', email: 'ada@example.com' }
    const { wallet_address } = await fresh.newAccount(fields)
    const account = { ...fields, account_description: '', wallet_address, managed: true }
    expect(await fresh.getAccount()).toMatchObject(account)
  })

  it('exists or not, whichever key is queried', async () => {
    expect(await client.accountExists()).toBe(true)
    expect(await client.accountExists(Buffer.alloc(32, 7).toString('base64'))).toBe(false)
  })

  it('has a new key after a rotation, which was saved before the request and which the client then uses', async () => {
    const old = await origin.account()
    const rotating = clientOf({ apiKey: old })
    const kept: string[] = []
    const keep = async (key: string) => {
      kept.push(key)
      expect(await rotating.accountExists(key)).toBe(false)
    }
    const { api_key, api_key_hash } = await rotating.rotateAccountApiKey({ keep })
    expect([kept, api_key_hash]).toEqual([[api_key], origin.hashOf(api_key)])
    expect(await client.accountExists(old)).toBe(false)
    expect((await rotating.createWallet()).pkp_id).toMatch(/^0x0{24}[0-9a-f]{40}$/)
  })

  it('is not lost if the response to its rotation is lost', async () => {
    const fetch = losing('/rotate_account_api_key')
    const rotating = clientOf({ apiKey: await origin.account(), fetch, ...AT_ONCE })
    const { api_key, api_key_hash } = await rotating.rotateAccountApiKey()
    expect(api_key_hash).toBe(origin.hashOf(api_key))
    expect(await rotating.listWallets().all()).toEqual([])
  })

  it('is not lost if the network fails after its rotation: the error contains the new key without printing it', async () => {
    let isAway = false
    const away: typeof fetch = async (input, init) => {
      if (!isAway) await recorded(input, init)
      isAway = true
      throw new TypeError('fetch failed')
    }
    const rotating = clientOf({ apiKey: await origin.account(), fetch: away, ...AT_ONCE })
    const failed: any = await rotating.rotateAccountApiKey().catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'RotationUnknown', mayHaveBeenExecuted: true })
    expect(await client.accountExists(failed.newApiKey)).toBe(true)
    for (const shown of [inspect(failed, { depth: 9, showHidden: true }), JSON.stringify(failed)])
      expect(shown).not.toContain(failed.newApiKey)
  })

  it('has one rotation at a time: of two, only the effective key is saved', async () => {
    const rotating = clientOf({ apiKey: await origin.account() })
    const kept: string[] = []
    const keep = (key: string) => void kept.push(key)
    const [one, other] = await Promise.allSettled([
      rotating.rotateAccountApiKey({ keep }),
      rotating.rotateAccountApiKey({ keep }),
    ])
    expect(other).toMatchObject({ reason: { code: 'rotation_under_way' } })
    expect(one).toMatchObject({ value: { api_key: kept[0] } })
    expect(kept).toHaveLength(1)
    await rotating.rotateAccountApiKey({ keep })
    expect(await rotating.accountExists(kept[1])).toBe(true)
  })

  it('rejects the rotation of an unknown key with Unauthorized', async () => {
    const stranger = clientOf({ apiKey: Buffer.alloc(32, 9).toString('base64') })
    await expect(stranger.rotateAccountApiKey()).rejects.toMatchObject({ name: 'Unauthorized' })
  })
})

describe('wallets, groups, actions and keys', () => {
  it('are created, changed, listed and removed', async () => {
    const cid = await client.getSvcActionIpfsId(CODE)
    expect(cid).toBe(await actionCid(CODE))
    const wallet = await client.createWallet({ name: 'treasury', description: 'd' })
    const { group_id } = await client.addGroup({ group_name: 'g' })
    const { pkp_id } = wallet
    await client.addPkpToGroup({ group_id, pkp_id })
    await client.addActionToGroup({ group_id, action_ipfs_cid: cid, name: 'twice' })
    expect(await client.listWalletsInGroup({ group_id }).all()).toMatchObject([
      { name: 'treasury' },
    ])
    expect(await client.listActions({ group_id }).all()).toMatchObject([{ name: 'twice' }])
    await client.updateGroup({ group_id, group_name: 'renamed' })
    await client.updateActionMetadata({ action_ipfs_cid: cid, name: 'doubles' })
    const whole = await client.getGroup({ group_id })
    expect(whole).toMatchObject({
      name: 'renamed',
      wallets: [{ pkp_id }],
      actions: [{ name: 'doubles' }],
    })
    await client.removePkpFromGroup({ group_id, pkp_id })
    await client.removeActionFromGroup({ group_id, action_ipfs_cid: cid })
    expect(await client.getGroup({ group_id })).toMatchObject({ wallets: [], actions: [] })
    await client.deleteAction({ action_ipfs_cid: cid })
    await client.addAction({ action_ipfs_cid: cid, name: 'registered' })
    expect(await client.listActions().all()).toMatchObject([
      { action_ipfs_cid: cid, name: 'registered' },
    ])
    await client.deleteAction({ action_ipfs_cid: cid })
    await client.removeGroup({ group_id })
    expect(await client.listGroups().all()).toEqual([])
    const seen: string[] = []
    for await (const { wallet_address } of client.listWallets()) seen.push(wallet_address)
    expect(seen).toEqual([wallet.wallet_address])
  })

  // Described in wallet-policies.test.ts, for both modes.
  it('can have policies, which are read, simulated and set', async () => {
    const rules = [{ name: 'any', effect: 'allow', kind: 'message', messages: 'any' }]
    const { pkp_id, policy_hash } = await client.createWallet({ policy: { version: 1, rules } })
    const { policy } = await client.getWalletPolicy({ pkp_id })
    const request = { kind: 'message', message: 'hello' }
    const simulated = await client.simulateSignature({ pkp_id, request })
    expect(simulated).toMatchObject({ decision: 'allow', policy_hash })
    const set = await client.setWalletPolicy({ pkp_id, policy, replaces: policy_hash! })
    expect(set).toMatchObject({ policy_hash, pending: null })
    const { derivation } = await client.getWalletStatement({ pkp_id })
    expect(derivation).toBe('policy')
  })

  it('a usage key is shown once, listed without its text, changed by its hash, and removed', async () => {
    const { usage_api_key, usage_api_key_hash } = await client.addUsageApiKey({ name: 'k' })
    await client.updateUsageApiKey({ usage_api_key: usage_api_key_hash, description: 'changed' })
    const listed = await client.listApiKeys().all()
    expect(listed).toMatchObject([{ api_key_hash: usage_api_key_hash, description: 'changed' }])
    expect(JSON.stringify(listed)).not.toContain(usage_api_key)
    await client.removeUsageApiKey({ usage_api_key })
    await expect(clientOf({ apiKey: usage_api_key }).billing.balance()).rejects.toMatchObject({
      name: 'Unauthorized',
      status: 401,
    })
  })

  it('a usage key with a lost response is named by its hash, and can be removed by it', async () => {
    const losesIt = clientOf({ apiKey, fetch: losing('/add_usage_api_key'), ...AT_ONCE })
    const failed: any = await losesIt.addUsageApiKey({ name: 'lost' }).catch((error) => error)
    expect(failed).toMatchObject({ name: 'Conflict', code: 'key_shown_before' })
    const [{ api_key_hash } = { api_key_hash: '' }] = await client.listApiKeys().all()
    expect(failed.message).toContain(api_key_hash)
    await client.removeUsageApiKey({ usage_api_key: api_key_hash })
  })

  it('a usage key without any response may exist, and the error explains how to find it', async () => {
    const losesAll = clientOf({ apiKey, fetch: losing('/add_usage_api_key', 9), ...AT_ONCE })
    await expect(losesAll.addUsageApiKey({ name: 'lost' })).rejects.toMatchObject({
      name: 'NetworkFailed',
      fix: expect.stringContaining('removeUsageApiKey'),
    })
    const [lost] = await client.listApiKeys().all()
    expect(lost).toMatchObject({ name: 'lost' })
    await client.removeUsageApiKey({ usage_api_key: lost!.api_key_hash })
  })

  it('a wallet is created once despite lost responses', async () => {
    const alone = await origin.account()
    const patient = clientOf({ apiKey: alone, fetch: losing('/create_wallet', 2), ...AT_ONCE })
    const { pkp_id } = await patient.createWallet()
    expect(await patient.listWallets().all()).toMatchObject([{ pkp_id }])
  })

  it('the same Idempotency-Key of the caller returns the same response', async () => {
    const options = { idempotencyKey: 'group 1' }
    const fields = { group_name: 'once' }
    const first = await client.addGroup(fields, options)
    expect(await client.addGroup(fields, options)).toEqual(first)
    await expect(client.addGroup({ group_name: 'other' }, options)).rejects.toMatchObject({
      name: 'Unprocessable',
    })
    await client.removeGroup(first)
  })
})

describe('an action', () => {
  it('returns its full result', async () => {
    const answer = await client.svcAction<{ twice: number }>({ code: CODE, js_params: { n: 4 } })
    expect(answer).toMatchObject({ response: { twice: 8 }, logs: 'counting', has_error: false })
    expect(answer).toMatchObject({ action_cid: await actionCid(CODE), charged_cents: 1 })
    expect(answer.receipt.split('.')).toHaveLength(3)
  })

  it('throws ActionFailed with its stack and logs', async () => {
    const code =
      'async function main() { console.log("one"); console.log("two"); throw new RangeError("no funds") }'
    const failed: any = await client.svcAction({ code }).catch((error: unknown) => error)
    expect(failed).toMatchObject({
      name: 'ActionFailed',
      status: 500,
      code: 'action_threw',
      logs: 'one\ntwo',
    })
    expect(failed.message).toMatch(/^RangeError: no funds$/)
    expect(failed.actionStack).toMatch(/^RangeError: no funds\n\s+at main/)
    expect(failed.receipt.split('.')).toHaveLength(3)
    expect(failed.requestId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('is retried until the grant of its group takes effect', async () => {
    const { pkp_id } = await client.createWallet()
    const action_ipfs_cid = await actionCid(WHO)
    const { group_id } = await client.addGroup({ group_name: 'g', pkp_ids_permitted: [pkp_id] })
    await client.addActionToGroup({ group_id, action_ipfs_cid })
    const { usage_api_key } = await client.addUsageApiKey({ name: 'late' })
    let waits = 0
    const grant = async () => {
      if (++waits === 2)
        await client.updateUsageApiKey({ usage_api_key, execute_in_groups: [group_id] })
    }
    const late = clientOf({ apiKey: usage_api_key, sleep: grant })
    const run = () => late.svcAction({ code: WHO, js_params: { pkpId: pkp_id } })
    await expect(run()).rejects.toMatchObject({ name: 'Forbidden', status: 403 })
    expect((await late.waitUntilPermitted(run)).response).toBe(66)
    expect(waits).toBe(2)
  })

  it('attack: a service that names another CID for a source cannot redirect its wallet', async () => {
    const others = await actionCid('async function main() { return "another" }')
    const fetch: typeof globalThis.fetch = async () => Response.json(others)
    await expect(clientOf({ fetch }).getSvcActionIpfsId(CODE)).rejects.toMatchObject({
      name: 'NotTheApi',
      message: expect.stringContaining('its CID does not match'),
    })
  })

  it('has a wallet that anyone can look up', async () => {
    const code =
      'async function main() { return ethers.utils.computeAddress(await Svc.Actions.getSvcActionPrivateKey()) }'
    const cid = await actionCid(code)
    const { response } = await client.svcAction({ code })
    expect(await clientOf().actionWallet(cid)).toMatchObject({
      action_cid: cid,
      wallet_address: response,
    })
  })

  it('throws Forbidden after the timeout if it is never permitted, and other errors at once', async () => {
    const { usage_api_key } = await client.addUsageApiKey({ name: 'never' })
    const waits: number[] = []
    const never = clientOf({ apiKey: usage_api_key, sleep: async (ms) => void waits.push(ms) })
    const run = (code: string) => () => never.svcAction({ code })
    const forbidden = never.waitUntilPermitted(run(CODE), { timeoutMs: 20_000 })
    await expect(forbidden).rejects.toMatchObject({ name: 'Forbidden' })
    expect(Math.max(...waits)).toBe(5_000)
    expect(waits.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(20_000)
    waits.length = 0
    const unknown = () => never.billing.confirmPayment({ payment_intent_id: 'pi_none' })
    await expect(never.waitUntilPermitted(unknown)).rejects.toMatchObject({ name: 'NotFound' })
    expect(waits).toEqual([])
  })
})

describe('credits', () => {
  it('are shown, bought once, and accounted for', async () => {
    const buyer = clientOf({ apiKey: await origin.poor(3) })
    expect(await buyer.billing.balance()).toMatchObject({
      balance_cents: 3,
      balance_display: '$0.03',
    })
    expect(await buyer.billing.processorConfig()).toEqual({
      publishable_key: processor.keys.publishable,
    })
    processor.webhooks.mode = 'drop'
    const { payment_intent_id, client_secret } = await buyer.billing.createPaymentIntent({
      amount_cents: 500,
    })
    expect(client_secret).toContain(payment_intent_id)
    await expect(buyer.billing.confirmPayment({ payment_intent_id })).rejects.toMatchObject({
      name: 'Conflict',
      code: 'payment_pending',
      retryAfterS: 5,
    })
    processor.paying.byCard(payment_intent_id)
    expect(await buyer.billing.confirmPayment({ payment_intent_id })).toMatchObject({
      balance_cents: 503,
    })
    await buyer.addGroup({ group_name: 'g' })
    const rows = await buyer.billing.usage().all()
    expect(rows).toMatchObject([
      { kind: 'write', operation: '/core/v1/add_group', quantity: 1, cents: 1 },
    ])
    const [header, row, end] = (await buyer.billing.usageCsv()).split('\r\n')
    expect([header, row, end]).toEqual([
      Object.keys(rows[0]!).join(','),
      expect.stringContaining('add_group'),
      '',
    ])
    expect(await buyer.billing.usage({ to: '2026-01-01' }).all()).toEqual([])
  })

  it('are polled until the payment has settled, at the interval that the service requests', async () => {
    processor.webhooks.mode = 'drop'
    const waits: number[] = []
    let intent = ''
    const settle = async (ms: number) => {
      if (waits.push(ms) === 2) processor.paying.byCard(intent)
    }
    const buyer = clientOf({ apiKey: await origin.poor(0), sleep: settle })
    intent = (await buyer.billing.createPaymentIntent({ amount_cents: 700 })).payment_intent_id
    expect(await buyer.billing.waitUntilCredited(intent)).toMatchObject({ balance_cents: 700 })
    expect(waits).toEqual([5_000, 5_000])
  })

  it('are not polled after the payment has failed or the timeout has passed', async () => {
    processor.webhooks.mode = 'drop'
    const buyer = clientOf({ apiKey: await origin.poor(0), sleep: async () => {} })
    const { payment_intent_id } = await buyer.billing.createPaymentIntent({ amount_cents: 700 })
    const pending = buyer.billing.waitUntilCredited(payment_intent_id, { timeoutMs: 10_000 })
    await expect(pending).rejects.toMatchObject({ code: 'payment_pending' })
    processor.paying.decline(payment_intent_id)
    const failed = buyer.billing.waitUntilCredited(payment_intent_id)
    await expect(failed).rejects.toMatchObject({ code: 'payment_failed' })
  })

  it('throw PaymentRequired if there are none', async () => {
    const poor = clientOf({ apiKey: await origin.poor(0) })
    await expect(poor.createWallet()).rejects.toMatchObject({
      name: 'PaymentRequired',
      status: 402,
    })
  })
})

describe('transactions', () => {
  const to = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  /** A wallet with funds, and a client of its account. */
  async function payer(options: Partial<ApiOptions> = {}) {
    const alone = clientOf({ apiKey: await origin.account(), ...options })
    const { pkp_id, wallet_address } = await alone.createWallet()
    const node = new JsonRpcProvider(origin.rpcUrl, undefined, { staticNetwork: true })
    await node.send('anvil_setBalance', [wallet_address, '0xde0b6b3a7640000'])
    node.destroy()
    return { alone, pkp_id }
  }

  it('are sent, awaited, listed, and not sent again under the same Idempotency-Key', async () => {
    const { alone, pkp_id } = await payer()
    const payment = { pkp_id, chain: 'ethereum', to, value: 10n ** 15n }
    const sent = await alone.sendTransaction(payment, { idempotencyKey: 'invoice 1' })
    const final = await alone.waitForTransaction(sent.id, 'final')
    expect(final).toMatchObject({ id: sent.id, state: 'final', value: '1000000000000000' })
    const again = await alone.sendTransaction(payment, { idempotencyKey: 'invoice 1' })
    expect([again.id, again.state]).toEqual([sent.id, 'final'])
    const other = alone.sendTransaction({ ...payment, value: 1 }, { idempotencyKey: 'invoice 1' })
    await expect(other).rejects.toMatchObject({ name: 'Conflict', code: 'idempotency_key_reused' })
    expect(await alone.transactions.get(sent.id)).toEqual(final)
    expect(await alone.transactions.balances({ pkp_id })).toMatchObject([{ chain: 'ethereum' }])
    const listed = await alone.transactions.list({ pkp_id, chain: 31_337, state: 'final' }).all()
    expect(listed).toEqual([final])
    expect(await alone.transactions.chains()).toEqual([
      { chain: 'ethereum', chain_id: 31_337, finality: 2 },
    ])
  })

  it('are sent once despite lost responses', async () => {
    const { alone, pkp_id } = await payer({ fetch: losing('/send_transaction', 3), ...AT_ONCE })
    const { id } = await alone.sendTransaction({ pkp_id, chain: 'ethereum', to, value: 1n })
    expect((await alone.transactions.list().all()).map((record) => record.id)).toEqual([id])
  })

  it('can be cancelled and sped up', async () => {
    const { alone, pkp_id } = await payer()
    const { id } = await alone.sendTransaction({ pkp_id, chain: 'ethereum', to })
    const faster = await alone.transactions.speedUp(id, { max_fee_per_gas: 10n ** 11n })
    expect(faster.id).toBe(id)
    await alone.transactions.cancel(id)
    const { state } = await alone.waitForTransaction(id, 'final')
    expect(['final', 'cancelled']).toContain(state)
  })

  it('have limits by account and chain', async () => {
    const { alone } = await payer()
    const limits = { chain: 'ethereum', max_fee_per_gas: '9', low_balance: null }
    const fields = { chain: 'ethereum', max_fee_per_gas: 9n }
    expect(await alone.transactions.setDefaults(fields)).toMatchObject(limits)
    expect(await alone.transactions.defaults()).toMatchObject([limits])
  })

  it('are returned as they are after the timeout, and an unknown one is NotFound', async () => {
    let slept = 0
    const sleep = async (ms: number) => void (slept += ms)
    const { alone, pkp_id } = await payer({ sleep })
    // The wallet waits for a base fee below its limit.
    const limited = { pkp_id, chain: 'ethereum', to, max_fee_per_gas: 1 }
    const { id } = await alone.sendTransaction(limited)
    const { state } = await alone.waitForTransaction(id, 'mined', { timeoutMs: 20_000 })
    expect(['queued', 'signed', 'broadcast']).toContain(state)
    expect(slept).toBe(20_000)
    const unknown = alone.waitForTransaction(`tx_${'0'.repeat(32)}`, 'mined')
    await expect(unknown).rejects.toMatchObject({ name: 'NotFound', code: 'not_found' })
  })
})

describe('conversion', () => {
  const wallet = () => Wallet.createRandom()
  const connected = async (run: (node: JsonRpcProvider) => Promise<void>) => {
    const node = new JsonRpcProvider(origin.rpcUrl, undefined, { cacheTimeout: -1 })
    try {
      await run(node)
    } finally {
      node.destroy()
    }
  }

  it('moves the account to a wallet: the old key can no longer write, but still pays', () =>
    connected(async (node) => {
      const key = await origin.account()
      const converted = clientOf({ apiKey: key })
      await converted.createWallet()
      const admin = wallet().connect(node)
      expect(await converted.convertToChainSecured(admin)).toEqual({
        success: true,
        wallet_address: admin.address,
        api_key_hash: origin.hashOf(key),
      })
      await expect(converted.createWallet()).rejects.toMatchObject({ name: 'Forbidden' })
      expect(await converted.billing.balance()).toMatchObject({ balance_cents: expect.any(Number) })
    }))

  it('survives lost responses, and happens once', () =>
    connected(async (node) => {
      const key = await origin.account()
      const fetch = losing('/convert_to_chain_secured_account', 2)
      const converted = clientOf({ apiKey: key, fetch, ...AT_ONCE })
      expect(await converted.convertToChainSecured(wallet().connect(node))).toMatchObject({
        api_key_hash: origin.hashOf(key),
      })
    }))

  it('explains where to look if no response arrives, because another proof is another body', () =>
    connected(async (node) => {
      const fetch = losing('/convert_to_chain_secured_account', 9)
      const converted = clientOf({ apiKey: await origin.account(), fetch, ...AT_ONCE })
      await expect(converted.convertToChainSecured(wallet().connect(node))).rejects.toMatchObject({
        mayHaveBeenExecuted: true,
        idempotencyKey: undefined,
        fix: expect.stringContaining('accountHash()'),
      })
    }))

  it.each(['of the call', 'of the client'])(
    'is aborted by the signal %s while the wallet asks its owner',
    async (whose) => {
      const ending = new AbortController()
      const { signal } = ending
      const key = await origin.account()
      const chain_id = (await client.getNodeChainConfig()).chain_id
      const owner = {
        request: async ({ method }: { method: string }) => {
          if (method === 'eth_requestAccounts') return [wallet().address]
          if (method === 'eth_chainId') return `0x${chain_id.toString(16)}`
          ending.abort(new Error('enough'))
          return new Promise(() => {})
        },
      }
      const call =
        whose === 'of the call'
          ? clientOf({ apiKey: key }).convertToChainSecured(owner, { signal })
          : clientOf({ apiKey: key, signal }).convertToChainSecured(owner)
      await expect(call).rejects.toThrow('enough')
    },
  )

  it('attack: requests no signature from a wallet on another chain', async () => {
    const asked: string[] = []
    const elsewhere = {
      request: async ({ method }: { method: string }) => {
        asked.push(method)
        if (method === 'eth_chainId') return '0x1'
        throw Object.assign(new Error('unknown chain'), { code: 4902 })
      },
    }
    await expect(client.convertToChainSecured(elsewhere)).rejects.toMatchObject({
      code: 'wrong_chain',
    })
    expect(asked).toEqual(['eth_chainId', 'wallet_switchEthereumChain'])
  })

  it('changes nothing if the owner of the wallet rejects it', () =>
    connected(async (node) => {
      const owner = {
        request: async ({ method, params }: { method: string; params?: unknown }) => {
          if (method === 'eth_requestAccounts') return [wallet().address]
          if (method === 'eth_chainId') return node.send(method, params as unknown[])
          throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
        },
      }
      const kept = clientOf({ apiKey: await origin.account() })
      await expect(kept.convertToChainSecured(owner)).rejects.toMatchObject({
        code: 'wallet_refused',
      })
      await kept.createWallet()
    }))
})

describe('the node', () => {
  it('returns its chain, version and limits to anyone', async () => {
    const anybody = clientOf()
    const { chain, settings } = origin.services
    expect(await anybody.getNodeChainConfig()).toMatchObject({
      chain_id: Number(chain.chainId),
      chain_name: settings.SVC_CHAIN_NAME,
    })
    expect(await anybody.version()).toMatchObject({ api_version: 'v1.2' })
    expect((await anybody.limits())['source_text']).toMatchObject({ value: 16 * 1024 * 1024 })
  })
})

describe('key protection', () => {
  it('attack: rejects a client for http on a network', () => {
    const make = () => createClient({ baseUrl: 'http://api.test', apiKey })
    expect(make).toThrow(expect.objectContaining({ name: 'NotSent', code: 'insecure_url' }))
    const edge = () => createClient({ baseUrl, triggersUrl: 'http://edge.test' })
    expect(edge).toThrow(expect.objectContaining({ code: 'insecure_url' }))
  })

  it('attack: rejects a malformed API key without showing it', () => {
    const secret = `0x${'ab'.repeat(32)}`
    const made = () => createClient({ baseUrl, apiKey: secret })
    expect(made).toThrow(expect.objectContaining({ code: 'bad_credential' }))
    expect(made).not.toThrow(secret)
  })

  it('a client does not show its key', () => {
    expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(apiKey)
    expect(JSON.stringify(client)).not.toContain(apiKey)
  })
})

/** Aliases at the root of routes under `/core/v1`. */
const ALIASES = ['GET /get_node_chain_config']
/** Operations for wallets; only clients in sovereign mode have them. */
const OF_WALLETS = [
  'create_wallet_with_signature',
  'set_wallet_policy_with_signature',
  'add_usage_api_key_with_signature',
]

describe('the audit log', () => {
  it('is listed in both orders, with pages of any size', async () => {
    await client.addGroup({ group_name: 'audited' })
    const newest = await client.auditLog.list().all()
    const oldest = await client.auditLog.list({ order: 'oldest' }).all()
    expect(oldest).toEqual(newest.toReversed())
    expect(newest[0]).toMatchObject({ operation: 'add_group', sequence: newest.length })
    const small = await client.auditLog.page({ page_size: 1 })
    expect(small.entries).toEqual(newest.slice(0, 1))
  })

  /** A client that verifies the origin, on a connection that changes pages of the log. */
  const verifying = (key: string, change: (page: AuditLogPage) => AuditLogPage = (page) => page) =>
    clientOf({
      apiKey: key,
      verify: 'once',
      // `recorded` would count the requests for evidence as operations.
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        if (!urlOf(input).includes('/audit_log')) return response
        return Response.json(change((await response.json()) as AuditLogPage))
      },
    })

  beforeAll(() => showEvidence(origin))

  it('is verified, also against a head that was kept', async () => {
    const key = await origin.account()
    const audited = verifying(key)
    await audited.addGroup({ group_name: 'a' })
    const first = await audited.auditLog.verify()
    expect((await audited.auditLog.export()).entries).toEqual(first.entries)
    expect(first.entries.map(({ operation }) => operation)).toEqual(['new_account', 'add_group'])
    expect(first.head).toMatchObject({
      account_hash: origin.hashOf(key),
      sequence: 2,
      entry_sha256: first.entries[1]!.sha256,
    })
    await audited.addGroup({ group_name: 'b' })
    const second = await audited.auditLog.verify({ since: first.statement })
    expect(second.entries.slice(0, 2)).toEqual(first.entries)
    expect(second.head.sequence).toBe(3)
  })

  it('tampering: is refused if an entry was changed or removed', async () => {
    const key = await origin.account()
    await verifying(key).addGroup({ group_name: 'a' })
    const refusal = (change: (page: AuditLogPage) => AuditLogPage) =>
      verifying(key, change)
        .auditLog.verify()
        .catch((error: unknown) => error)
    const renamed = (entry: AuditEntry) => ({ ...entry, operation: 'other' })
    const changes: [
      flaw: string,
      sequence: number,
      change: (page: AuditLogPage) => AuditLogPage,
    ][] = [
      ['entry_changed', 1, ({ entries, head }) => ({ entries: entries.map(renamed), head })],
      ['gap', 1, ({ entries, head }) => ({ entries: entries.slice(1), head })],
      ['truncated', 2, ({ entries, head }) => ({ entries: entries.slice(0, 1), head })],
    ]
    for (const [flaw, sequence, change] of changes)
      expect(await refusal(change)).toMatchObject({ name: 'AuditLogRefused', flaw, sequence })
  })

  it('tampering: is refused if the head is that of another account, or not signed by the origin', async () => {
    const [key, other] = [await origin.account(), await origin.account()]
    const { head: foreign } = await clientOf({ apiKey: other }).auditLog.page()
    const withForeignHead = verifying(key, (page) => ({ ...page, head: foreign }))
    await expect(withForeignHead.auditLog.verify()).rejects.toMatchObject({
      name: 'AuditLogRefused',
      flaw: 'other_account',
    })
    const withForgedHead = verifying(key, ({ entries, head }) => {
      const [header, payload] = head.statement.split('.')
      const statement = `${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`
      return { entries, head: { ...head, statement } }
    })
    await expect(withForgedHead.auditLog.verify()).rejects.toMatchObject({
      name: 'AuditLogRefused',
      flaw: 'signature',
    })
  })

  it('truncation: an older log with its own signed head is refused by who kept a newer head', async () => {
    const key = await origin.account()
    const old = await clientOf({ apiKey: key }).auditLog.page({ order: 'oldest' })
    await verifying(key).addGroup({ group_name: 'a' })
    const { statement: since } = await verifying(key).auditLog.verify()
    const rolledBack = verifying(key, () => old).auditLog
    expect((await rolledBack.verify()).entries).toHaveLength(1)
    await expect(rolledBack.verify({ since })).rejects.toMatchObject({
      name: 'AuditLogRefused',
      flaw: 'truncated',
      sequence: 2,
    })
  })
})

// Runs last, because it counts the calls of the other tests.
it('covers every operation of the core API', () => {
  const served = operations.map(({ method, path }) => `${method} ${path}`)
  const wanted = served.filter(
    (route) => !ALIASES.includes(route) && !OF_WALLETS.some((name) => route.endsWith(`/${name}`)),
  )
  expect([...called].toSorted()).toEqual(wanted.toSorted())
})
