/** Requests signed by the wallet of a ChainSecured account, and attempts by others. */
import { randomBytes } from 'node:crypto'
import { Contract, hexlify, JsonRpcProvider, verifyMessage, Wallet } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { WalletProofs } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { WalletCallLimits } from '../../../origin/admission/wallet-call-limits.ts'
import { createOriginApp } from '../../../origin/app.ts'
import { operations } from '../../../origin/http/operations.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { PROOF_WINDOW_S, WALLET_AUTH_MAX_CHARACTERS } from '../../../shared/limits.ts'
import {
  accountHashOfWallet,
  type ProofTerms,
  type Purpose,
  PURPOSES,
  termNames,
} from '../../../shared/crypto/typed-data.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import { grants } from '../accounts/mirrored.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { inBase64, signedBy, walletAuth } from './signed-request.ts'
import { POLICY, POLICY_HASH } from './valid-requests.ts'

const ECHO = 'async function main(params) { return params }'
const SIGN = `async function main({ pkpId }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('m')
}`
/** 10 ether. */
const FUNDS = '0x8ac7230489e80000'
/** Bytecode that returns ERC-1271's magic value for every call. */
const YES_TO_EVERYTHING = '0x631626ba7e60e01b5f5260205ff3'
const CREATE = 'create_wallet_with_signature'
const ADD = 'add_usage_api_key_with_signature'
const TRANSFER = 'transferChainSecuredAccountOwnership'

let origin: TestOrigin
let processor: ProcessorDouble
let provider: JsonRpcProvider
beforeAll(async () => {
  processor = await startProcessor()
  origin = await startOrigin(processor)
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 }
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, options)
})
afterEach(() => {
  origin.clock.aheadMs = 0
  vi.restoreAllMocks()
})
afterAll(async () => {
  provider.destroy()
  await Promise.all([origin.close(), processor.close()])
})

type Admin = Awaited<ReturnType<typeof fundedWallet>>

async function fundedWallet() {
  const wallet = Wallet.createRandom().connect(provider)
  await provider.send('anvil_setBalance', [wallet.address, FUNDS])
  return wallet
}

/** Sends a transaction of a wallet, and returns when it is in the mirror. */
async function write(admin: Admin, name: string, ...args: unknown[]): Promise<void> {
  const { contractAddress } = origin.services.chain
  const contract = new Contract(contractAddress, accountConfigAbi, admin)
  const receipt = await (await contract.getFunction(name).send(...args)).wait()
  await origin.services.mirror.syncTo(receipt!.blockNumber, receipt!.blockHash)
}

const convert = (key: string, admin: string) =>
  origin.services.writer.write('convertToChainSecuredAccount', [
    origin.hashOf(key),
    admin,
    hexlify(randomBytes(32)),
  ])

/** A converted account with credit, and a usage key that runs everything. */
async function secured(cents = 1_000) {
  const key = await origin.poor(cents)
  await origin.group(key, { cid_hashes_permitted: [0] })
  const usage = await origin.usageKey(key, { execute_in_groups: [0] })
  const admin = await fundedWallet()
  await convert(key, admin.address)
  return { admin, key, usage, hash: origin.hashOf(key) }
}

/** An account shared by tests that do not change it. */
let one: ReturnType<typeof secured> | undefined
const shared = () => (one ??= secured())

/** An account with a contract as its admin that accepts every signature. */
async function securedByYes() {
  const key = await origin.poor(100)
  const address = Wallet.createRandom().address
  await provider.send('anvil_setCode', [address, YES_TO_EVERYTHING])
  await convert(key, address)
  return { address, hash: origin.hashOf(key) }
}

/** A wallet without an account. */
const stranger = () => Wallet.createRandom()
type Signer = Pick<Wallet, 'address' | 'signTypedData'>

const PROOF_TERMS: ProofTerms = { policyHash: POLICY_HASH, pkpId: `0x${'0'.repeat(64)}` }
const signed = (signer: Signer, purpose: Purpose, changes = {}) => {
  const terms = Object.fromEntries(termNames(purpose).map((name) => [name, PROOF_TERMS[name]]))
  return signedBy(signer, purpose, origin, { terms, ...changes })
}
const billed = (signer: Signer, changes = {}) => walletAuth(signer, origin, changes)
/** Sends a request with a signed body. */
const ask = (name: string, body: object, more: object = {}) => origin.core(name, { body, ...more })
const createWallet = async (admin: Signer, more: object = {}) =>
  ask(CREATE, { ...(await signed(admin, 'CreateWallet')), ...more })
const addKey = async (admin: Signer, more: object = {}) =>
  ask(ADD, { ...(await signed(admin, 'AddUsageApiKey')), name: 'k', ...more })
const balance = (headers: Record<string, string>, more: object = {}) =>
  origin.core('billing/balance', { headers, ...more })
/** Number of transactions that the service has sent. */
async function sent(): Promise<number> {
  const payers = [1, 2].map((n) => addressFromPrivateKey(origin.services.keyring.payerKey(n)))
  const counts = await Promise.all(payers.map((payer) => provider.getTransactionCount(payer)))
  return counts.reduce((sum, count) => sum + count, 0)
}
const accountOf = (hash: string) => origin.services.mirror.current().account(hash)!

describe('create_wallet_with_signature', () => {
  it('returns a wallet that works once its admin has registered it, and not before', async () => {
    const { admin, hash, usage } = await secured()
    const { status, body } = await createWallet(admin, { name: 'till', description: 'pays' })
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(['derivation_path', 'pkp_id', 'wallet_address'])
    const { wallet_address: address, pkp_id: pkpId, derivation_path: path } = body
    const run = () => origin.run(usage, SIGN, { pkpId: address })
    expect((await run()).status).toBe(500)
    await write(admin, 'registerWalletDerivation', hash, pkpId, path, 'till', 'pays')
    await write(admin, 'addPkpToGroup', hash, 1, pkpId)
    expect(verifyMessage('m', (await run()).body.response)).toBe(address)
  })

  it('registers nothing, sends nothing, and is free of charge', async () => {
    const { admin, hash } = await shared()
    const before = await balance(await billed(admin))
    const transactions = await sent()
    expect((await createWallet(admin)).status).toBe(200)
    expect(accountOf(hash).wallets.size).toBe(0)
    expect(await sent()).toBe(transactions)
    expect((await balance(await billed(admin))).body).toEqual(before.body)
  })

  it('returns another wallet each time, even for the same proof', async () => {
    const { admin } = await shared()
    const body = await signed(admin, 'CreateWallet')
    const answers = await Promise.all([ask(CREATE, body), ask(CREATE, body)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(answers[0].body.wallet_address).not.toBe(answers[1].body.wallet_address)
  })

  it('returns the same wallet again under an Idempotency-Key', async () => {
    const { admin } = await shared()
    const body = await signed(admin, 'CreateWallet')
    const headers = { 'idempotency-key': 'one' }
    const [first, second] = [
      await ask(CREATE, body, { headers }),
      await ask(CREATE, body, { headers }),
    ]
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  it('rejects texts that the contract would reject, before anyone pays gas', async () => {
    const { admin } = await shared()
    const answer = await createWallet(admin, { name: 'n'.repeat(257) })
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining('name')])
  })

  it('accepts the signature check of an admin that is a contract (ERC-1271)', async () => {
    const { address } = await securedByYes()
    const proof = await signed(stranger(), 'CreateWallet', { address })
    expect((await ask(CREATE, proof)).status).toBe(200)
  })
})

describe('add_usage_api_key_with_signature', () => {
  it('returns a key that works once its admin has registered the hash, and not before', async () => {
    const { admin, hash } = await secured()
    const { status, body } = await addKey(admin, { execute_in_groups: [1] })
    expect(status).toBe(200)
    expect(Object.keys(body).toSorted()).toEqual(['usage_api_key', 'usage_api_key_hash'])
    expect(origin.hashOf(body.usage_api_key)).toBe(body.usage_api_key_hash)
    expect((await origin.run(body.usage_api_key, ECHO)).status).toBe(401)
    const rights = grants({ executeInGroups: [1] })
    await write(admin, 'setUsageApiKey', hash, body.usage_api_key_hash, rights)
    expect((await origin.run(body.usage_api_key, ECHO, { a: 1 })).body.response).toEqual({ a: 1 })
  })

  it('returns the error that the contract would return for the permissions', async () => {
    const { admin } = await shared()
    const answer = await addKey(admin, { execute_in_groups: [1, 99] })
    expect([answer.status, answer.headers.get('x-svc-error')]).toEqual([
      404,
      'group_does_not_exist',
    ])
    const many = await addKey(admin, { add_pkp_to_groups: Array.from({ length: 51 }, () => 1) })
    expect([many.status, many.body.message]).toEqual([
      400,
      expect.stringContaining('add_pkp_to_groups'),
    ])
  })

  it('accepts no cap, and explains how to set one', async () => {
    const { admin } = await shared()
    for (const cap of [{ spend_cap_cents: 5, spend_window_seconds: 60 }, { spend_cap_cents: 0 }]) {
      const { status, body } = await addKey(admin, cap)
      expect([status, body.message]).toEqual([400, expect.stringContaining('spend_cap_cents')])
      expect(body.message).toContain('update_usage_api_key and X-Wallet-Auth')
    }
  })

  it('shows a key once: a repeat under an Idempotency-Key is 409 with its hash', async () => {
    const { admin } = await shared()
    const body = { ...(await signed(admin, 'AddUsageApiKey')), name: 'k' }
    const headers = { 'idempotency-key': 'shown' }
    const first = await ask(ADD, body, { headers })
    const again = await ask(ADD, body, { headers })
    expect([again.status, again.body.error]).toEqual([409, 'key_shown_before'])
    expect(again.body.message).toContain(first.body.usage_api_key_hash)
    expect(JSON.stringify(again.body)).not.toContain(first.body.usage_api_key)
  })
})

describe('an account in API mode', () => {
  it.each([
    [CREATE, 'CreateWallet', {}],
    [ADD, 'AddUsageApiKey', { name: 'k' }],
  ] as const)('gets an error from %s that names the right call', async (name, purpose, fields) => {
    const key = await origin.account()
    const proof = await signed(stranger(), purpose)
    const byKey = await ask(name, { ...proof, ...fields }, { key })
    expect(byKey.status).toBe(400)
    expect(byKey.body.fix).toContain('API mode')
    const byWallet = await ask(name, { ...proof, ...fields })
    expect([byWallet.status, byWallet.headers.get('www-authenticate')]).toEqual([401, 'EIP712'])
    expect(byWallet.body.fix).toContain('API mode')
  })
})

describe('X-Wallet-Auth', () => {
  it('reads the balance and the complete statement of the account', async () => {
    const { admin, usage } = await secured(50)
    await origin.run(usage, ECHO)
    const headers = await billed(admin)
    const [own, ofKey] = [
      await balance(headers),
      await origin.core('billing/balance', { key: usage }),
    ]
    expect(own).toMatchObject({ status: 200, body: ofKey.body })
    const usageOf = (more: object) => origin.core('billing/usage', more)
    const rows = (await usageOf({ headers })).body
    // Two writes by the former account key, and a run by the usage key.
    expect(rows.map(({ kind }: any) => kind).toSorted()).toEqual(['execution', 'write', 'write'])
    expect(rows).toEqual(expect.arrayContaining((await usageOf({ key: usage })).body))
  })

  it('pays for the account', async () => {
    const { admin, usage } = await secured(100)
    const body = { amount_cents: 500 }
    const headers = await billed(admin)
    const intent = await origin.core('billing/create_payment_intent', { headers, body })
    expect(intent.status).toBe(200)
    const { payment_intent_id } = intent.body
    processor.paying.byCard(payment_intent_id)
    const paid = await origin.core('billing/confirm_payment', {
      headers,
      body: { payment_intent_id },
    })
    expect([paid.status, paid.body.success]).toEqual([200, true])
    const { body: now } = await origin.core('billing/balance', { key: usage })
    expect(now.balance_cents).toBe(paid.body.balance_cents)
    expect(now.balance_cents).toBeGreaterThan(500)
  })

  it('sets and removes the spending cap of a usage key, without a transaction', async () => {
    const { admin, usage } = await secured()
    const cap = async (cents: number | null) =>
      origin.core('update_usage_api_key', {
        headers: await billed(admin),
        body: {
          usage_api_key: origin.hashOf(usage),
          ...(cents === null
            ? { remove_spend_cap: true }
            : { spend_cap_cents: cents, spend_window_seconds: 3_600 }),
        },
      })
    const transactions = await sent()
    expect((await cap(1)).body).toEqual({ success: true })
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    const over = await origin.run(usage, ECHO)
    expect([over.status, over.body.reason]).toEqual([402, 'spend_cap_reached'])
    const list = await origin.core('list_api_keys', { headers: await billed(admin) })
    expect(list.body).toMatchObject([{ spend_cap_cents: 1, spent_cents: 1 }])
    expect((await cap(null)).status).toBe(200)
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    expect(await sent()).toBe(transactions)
  })

  it('cannot set a cap for a key that is not on the chain', async () => {
    const { admin } = await shared()
    const { usage_api_key_hash } = (await addKey(admin)).body
    const body = {
      usage_api_key: usage_api_key_hash,
      spend_cap_cents: 1,
      spend_window_seconds: 60,
    }
    const answer = await origin.core('update_usage_api_key', { headers: await billed(admin), body })
    expect(answer.status).toBe(404)
  })

  it('cannot change anything on the chain, which requires a transaction of the admin', async () => {
    const { admin, usage } = await shared()
    const body = { usage_api_key: origin.hashOf(usage), name: 'other' }
    const answer = await origin.core('update_usage_api_key', { headers: await billed(admin), body })
    expect(answer.status).toBe(403)
    for (const fact of ['updateUsageApiKey', admin.address, 'updateUsageApiKey()'])
      expect(answer.body.fix).toContain(fact)
  })

  it('is accepted with padding and without', async () => {
    const { admin } = await shared()
    const proof = await signed(admin, 'BillingAuth')
    // One of three lengths has no padding at all.
    for (const more of ['', ' ', '  ']) {
      const text = Buffer.from(JSON.stringify(proof) + more).toString('base64')
      for (const header of [text, text.replace(/=+$/, '')])
        expect((await balance({ 'x-wallet-auth': header })).status).toBe(200)
    }
  })

  it('is a header that pages of other origins may send', async () => {
    const answer = await origin.app.request('/core/v1/billing/balance', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.test',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'x-wallet-auth',
      },
    })
    expect(answer.headers.get('access-control-allow-headers')).toContain('X-Wallet-Auth')
  })

  it('does not count as a use of a key', async () => {
    const { admin, key } = await shared()
    await balance(await billed(admin))
    const used = await origin.services.keyUses.lastUsedAt([accountHashOfWallet(admin.address)])
    expect(used.size).toBe(0)
    expect(origin.hashOf(key)).not.toBe(accountHashOfWallet(admin.address))
  })
})

const keyed = operations.filter(({ auth }) => auth !== 'none' && auth !== 'wallet_signature')
const FOR_SENDING = /\/(\w+_transaction|set_transaction_defaults)$/
const FOR_WALLETS =
  /\/(audit_log|billing\/(balance|usage|create_payment_intent|confirm_payment)|get_account|list_api_keys|update_usage_api_key|get_wallet_policy|get_wallet_statement|simulate_signature|transactions|get_transaction_(balances|defaults))$/

it.each(keyed.map(({ method, path }) => ({ method, path })))(
  '$path accepts one credential: a key beside X-Wallet-Auth is 400',
  async ({ method, path }) => {
    const { admin, usage } = await shared()
    const answer = await origin.call(path, { method, key: usage, headers: await billed(admin) })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining('two credentials'),
    ])
  },
)

it.each(keyed.flatMap(({ path }) => (FOR_SENDING.test(path) ? [{ path }] : [])))(
  'stolen billing proof: $path accepts none',
  async ({ path }) => {
    const { admin } = await shared()
    const answer = await origin.call(path, { body: {}, headers: await billed(admin) })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining('primaryType'),
    ])
  },
)

const others = keyed.filter(({ path }) => !FOR_WALLETS.test(path) && !FOR_SENDING.test(path))
it.each(others.map(({ method, path }) => ({ method, path })))(
  '$path does not accept X-Wallet-Auth',
  async ({ method, path }) => {
    const { admin } = await shared()
    const answer = await origin.call(path, { method, headers: await billed(admin) })
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  },
)

/** Each way to send a signed request, with the purpose of its proof. */
const WAYS = [
  [CREATE, 'CreateWallet', (proof: object) => ask(CREATE, proof)],
  [
    `${CREATE} of a policy wallet`,
    'CreatePolicyWallet',
    (proof: object) => ask(CREATE, { ...proof, policy: POLICY }),
  ],
  [ADD, 'AddUsageApiKey', (proof: object) => ask(ADD, { ...proof, name: 'k' })],
  [
    'X-Wallet-Auth',
    'BillingAuth',
    (proof: object) => balance({ 'x-wallet-auth': inBase64(proof) }),
  ],
  [
    'X-Wallet-Auth for transactions',
    'SendTransactions',
    (proof: object) =>
      ask(
        'set_transaction_defaults',
        { chain: 'ethereum' },
        { headers: { 'x-wallet-auth': inBase64(proof) } },
      ),
  ],
] as const

describe.each(WAYS)('attacks on %s', (_way, purpose, send) => {
  it.each(PURPOSES.filter((other) => other !== purpose))(
    'proof of another purpose: one for %s is 400',
    async (other) => {
      const { admin } = await shared()
      const answer = await send(await signed(admin, other))
      expect([answer.status, answer.body.message]).toEqual([
        400,
        expect.stringContaining('primaryType'),
      ])
    },
  )

  it('relabelled proof: a signature for another purpose, under the name of this one, is 401', async () => {
    const { admin } = await shared()
    const { signature } = await signed(admin, 'ConvertAccount')
    const { typed_data } = await signed(admin, purpose)
    expect((await send({ typed_data, signature })).status).toBe(401)
  })

  it('stranger’s signature: one in the admin’s name by another wallet is 401', async () => {
    const { admin } = await shared()
    const answer = await send(await signed(stranger(), purpose, { address: admin.address }))
    expect([answer.status, answer.body.error]).toEqual([401, 'unauthorized'])
  })

  it('replay after the window, and a proof made ahead: 401', async () => {
    const { admin } = await shared()
    const now = Math.floor(origin.services.now() / 1000)
    for (const away of [-PROOF_WINDOW_S - 60, PROOF_WINDOW_S + 60])
      expect((await send(await signed(admin, purpose, { issuedAt: now + away }))).status).toBe(401)
    const proof = await signed(admin, purpose)
    expect((await send(proof)).status).toBe(200)
    origin.clock.aheadMs = (PROOF_WINDOW_S + 60) * 1000
    expect((await send(proof)).status).toBe(401)
  })

  it('former and future admin: only the current admin is accepted', async () => {
    const { admin, hash } = await secured()
    const heir = await fundedWallet()
    expect((await send(await signed(heir, purpose))).status).toBe(401)
    await write(admin, 'transferChainSecuredAccountOwnership', hash, heir.address)
    expect((await send(await signed(heir, purpose))).status).toBe(200)
    const former = await send(await signed(admin, purpose))
    expect([former.status, former.body.message]).toEqual([
      401,
      expect.stringContaining(heir.address),
    ])
  })

  it('squatted hash: a wallet is not the admin if its hash is a usage key of the account', async () => {
    const { admin, hash } = await secured()
    const squatter = Wallet.createRandom()
    const named = accountHashOfWallet(squatter.address)
    await write(admin, 'setUsageApiKey', hash, named, grants({ executeInGroups: [0] }))
    expect((await send(await signed(squatter, purpose))).status).toBe(401)
  })

  it('usage key’s text and hash in place of a signature: 400', async () => {
    const { admin, usage } = await shared()
    const { typed_data } = await signed(admin, purpose)
    for (const signature of [usage, origin.hashOf(usage).slice(0, 65)])
      expect((await send({ typed_data, signature })).status).toBe(400)
  })

  it('yes-sayer: a contract that accepts every signature gets access to its own account only', async () => {
    const { admin, hash } = await shared()
    const yes = await securedByYes()
    const theirs = await signed(stranger(), purpose, { address: yes.address })
    expect((await send(theirs)).status).toBe(200)
    // The balance of its own account, not of the attacked account.
    const { body } = await balance({
      'x-wallet-auth': inBase64(await signed(stranger(), 'BillingAuth', { address: yes.address })),
    })
    expect(body).toEqual(await origin.services.credits.balance(yes.hash))
    expect(body).not.toEqual(await origin.services.credits.balance(hash))
    const forged = { ...theirs, typed_data: (await signed(admin, purpose)).typed_data }
    expect((await send(forged)).status).toBe(401)
  })

  it('node for hire: a contract that is not an admin is not called', async () => {
    const address = Wallet.createRandom().address
    await provider.send('anvil_setCode', [address, YES_TO_EVERYTHING])
    const asked = vi.spyOn(origin.services.chain.provider, 'send')
    const answer = await send(await signed(stranger(), purpose, { address }))
    expect(answer.status).toBe(401)
    expect(asked.mock.calls.filter(([method]) => method === 'eth_call')).toEqual([])
  })
})

/** The origin's app with some services replaced. */
const appWith = (changes: Partial<TestOrigin['services']>): OriginApp =>
  createOriginApp({ ...origin.services, ...changes })

describe('while a signature is being verified', () => {
  it('handed on meanwhile: a wallet that is no longer the admin gets nothing', async () => {
    const { admin, hash } = await secured()
    const heir = await fundedWallet()
    const { chain, now } = origin.services
    class Slow extends WalletProofs {
      override async verify(proof: Parameters<WalletProofs['verify']>[0]): Promise<void> {
        await super.verify(proof)
        await write(admin, 'transferChainSecuredAccountOwnership', hash, heir.address)
      }
    }
    const app = appWith({ walletProofs: new Slow({ chain, now }) })
    const answer = await balance(await billed(admin), { app })
    expect(answer.status).toBe(401)
    expect(answer.body.message).toContain(heir.address)
  })
})

describe('floods', () => {
  const few = (changes: Partial<ConstructorParameters<typeof WalletCallLimits>[0]>) => {
    const { now } = origin.services
    const hashKey = randomBytes(32)
    return appWith({
      walletCalls: new WalletCallLimits({ db: origin.database.db, now, hashKey, ...changes }),
    })
  }

  it('signatures from one network are limited before they are verified, for all endpoints together', async () => {
    const { admin } = await shared()
    const app = few({ proofs: { burst: 2, perHour: 60 } })
    expect((await ask(CREATE, await signed(admin, 'CreateWallet'), { app })).status).toBe(200)
    const wrong = await signed(stranger(), 'BillingAuth', {
      address: admin.address,
    })
    expect((await balance({ 'x-wallet-auth': inBase64(wrong) }, { app })).status).toBe(401)
    const { status, headers } = await balance(await billed(admin), { app })
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
  })

  it('wallets and keys are limited together for one account, whichever endpoint creates them', async () => {
    const [mine, other] = [await secured(), await secured()]
    const app = few({ made: { burst: 2, perHour: 60 } })
    const make = async (admin: Admin) => ask(CREATE, await signed(admin, 'CreateWallet'), { app })
    expect((await make(mine.admin)).status).toBe(200)
    const key = { ...(await signed(mine.admin, 'AddUsageApiKey')), name: 'k' }
    expect((await ask(ADD, key, { app })).status).toBe(200)
    const { status, headers } = await make(mine.admin)
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await make(other.admin)).status).toBe(200)
  })
})

describe('attacks on the header itself', () => {
  const JSON_OF_NOTHING = inBase64({})
  const millions = `{${Array.from({ length: 1_000 }, (_, n) => `"${n}":0`).join()}}`
  it.each<[string, string, number]>([
    ['header sent twice', `${JSON_OF_NOTHING}, ${JSON_OF_NOTHING}`, 400],
    ['garbage', 'not base64!', 400],
    [
      'base64url',
      inBase64({ typed_data: '>>>???' }).replaceAll('+', '-').replaceAll('/', '_'),
      400,
    ],
    ['bytes that are no UTF-8', Buffer.from([0xff, 0xfe, 0x22]).toString('base64'), 400],
    ['no JSON', Buffer.from('{').toString('base64'), 400],
    ['JSON that is no object', inBase64([]), 422],
    ['null', Buffer.from('null').toString('base64'), 422],
    ['an object of nothing', JSON_OF_NOTHING, 422],
    ['the prototype', Buffer.from('{"__proto__":{"typed_data":{}}}').toString('base64'), 422],
    ['a thousand members', Buffer.from(`{"typed_data":${millions}}`).toString('base64'), 400],
    ['depth', Buffer.from('['.repeat(5_000)).toString('base64'), 400],
    ['a megabyte', 'A'.repeat(1024 * 1024), 400],
    ['one character too many', 'A'.repeat(WALLET_AUTH_MAX_CHARACTERS + 1), 400],
  ])('%s', async (_what, header, status) => {
    const answer = await balance({ 'x-wallet-auth': header })
    expect(answer.status).toBe(status)
    expect(answer.body.fix).not.toBe('')
  })

  it('a million members in a body are rejected unread', async () => {
    const members = Array.from({ length: 1_000_000 }, (_, n) => `"${n}":0`).join()
    const text = `{"typed_data":{${members}},"signature":"0x"}`
    expect((await origin.core(CREATE, { text, method: 'POST' })).status).toBe(413)
  })

  it('the header and everything that was signed are in no log', async () => {
    const { admin } = await shared()
    const headers = await billed(admin)
    await balance(headers)
    await balance({ 'x-wallet-auth': 'not base64!' })
    const key = (await addKey(admin)).body.usage_api_key
    const logged = JSON.stringify(origin.logs)
    for (const secret of [headers['x-wallet-auth']!, 'not base64!', key])
      expect(logged).not.toContain(secret)
  })
})

describe('get_account', () => {
  it('former owner: shows the email address to the first admin wallet, and to none after it', async () => {
    const body = { account_name: 'a', account_description: '', email: 'ada@example.com' }
    const { api_key: key } = (await origin.core('new_account', { body })).body
    const [admin, heir] = [await fundedWallet(), await fundedWallet()]
    await convert(key, admin.address)
    const account = async (signer: Signer) =>
      (await origin.core('get_account', { headers: await billed(signer) })).body
    expect(await account(admin)).toMatchObject({
      email: 'ada@example.com',
      wallet_address: admin.address,
      managed: false,
    })
    expect((await origin.core('get_account', { key })).status).toBe(403)
    await write(admin, TRANSFER, origin.hashOf(key), heir.address)
    expect(await account(heir)).toMatchObject({ email: null, wallet_address: heir.address })
  })
})

describe('the API key from before a conversion, once the account is transferred', () => {
  const AMOUNT = { amount_cents: 500 }

  it('former owner: can neither read nor pay the bills of the new owner', async () => {
    const { admin, key, usage, hash } = await secured()
    const intent = await origin.core('billing/create_payment_intent', { key, body: AMOUNT })
    const billing: [string, object?][] = [
      ['billing/balance'],
      ['billing/usage'],
      ['billing/create_payment_intent', AMOUNT],
      ['billing/confirm_payment', { payment_intent_id: intent.body.payment_intent_id }],
    ]
    expect((await origin.core('billing/usage', { key })).status).toBe(200)
    const heir = await fundedWallet()
    await write(admin, TRANSFER, hash, heir.address)
    for (const [name, body] of billing) {
      const answer = await origin.core(name, { key, ...(body && { body }) })
      expect([name, answer.status, answer.body.error]).toEqual([name, 403, 'forbidden'])
      expect(answer.body.message).toContain('transferred')
      expect(answer.body.fix).toContain(heir.address)
    }
    const headers = await billed(heir)
    expect((await origin.core('billing/balance', { headers })).status).toBe(200)
    expect((await origin.core('billing/balance', { key: usage })).status).toBe(200)
    expect((await origin.core('account_exists', { key })).body).toBe(true)
  })

  it('former owner: does not work again after a second transfer', async () => {
    const { admin, key, hash } = await secured()
    const [second, third] = [await fundedWallet(), await fundedWallet()]
    await write(admin, TRANSFER, hash, second.address)
    await write(second, TRANSFER, hash, third.address)
    expect((await origin.core('billing/balance', { key })).status).toBe(403)
  })
})
