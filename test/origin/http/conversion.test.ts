/**
 * Conversion of accounts to a wallet over HTTP: its requirements, what it preserves, and the remaining use of the old
 * key.
 */
import { randomUUID } from 'node:crypto'
import {
  concat,
  Contract,
  hexlify,
  JsonRpcProvider,
  NonceManager,
  randomBytes,
  Signature,
  toBeHex,
  verifyMessage,
  Wallet,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { accountConfig, ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { WalletCallLimits } from '../../../origin/admission/wallet-call-limits.ts'
import { WalletProofs } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { createOriginApp } from '../../../origin/app.ts'
import type { OriginServices } from '../../../origin/services.ts'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import { fundedKey } from '../chain.ts'
import { deployHostileWallet, deployOwnedWallet } from '../../doubles/contract-wallets/deploy.ts'
import { conversionTo, convert, makeChainSecured } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const ECHO = 'async function main(params) { return params }'
const SIGN = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message)
}`
/** Requests the wallet's key once a second until the request is refused, at most nine times. */
const KEY_UNTIL_REFUSED = `async function main({ pkpId }) {
  for (let n = 0; n < 9; n++) {
    await Svc.Actions.getPrivateKey({ pkpId })
    await new Promise((resume) => setTimeout(resume, 1000))
  }
  return 'never refused'
}`
const ALL = `0x${'0'.repeat(64)}`
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let origin: TestOrigin
let provider: JsonRpcProvider
let payer: NonceManager
beforeAll(async () => {
  origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 }
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, options)
  payer = new NonceManager(new Wallet(fundedKey(0), provider))
})
afterAll(async () => {
  provider.destroy()
  await origin.close()
})

const accountOf = (key: string) => origin.services.mirror.current().account(origin.hashOf(key))
const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents
const underKey = () => ({ 'idempotency-key': randomUUID() })
const seconds = () => Math.floor(Date.now() / 1000)
/** The status of a rejection, and the contract's error if there is one. */
const refusalOf = ({ status, headers }: Awaited<ReturnType<typeof convert>>) => [
  status,
  headers.get('x-svc-error'),
]
const USED = [409, 'typed_data_already_used']

describe('a conversion', () => {
  it('makes the signing wallet the admin, and adds its hash to the account', async () => {
    const key = await origin.account()
    const admin = Wallet.createRandom()
    const lower = admin.address.toLowerCase()
    const body = { ...conversionTo(admin, { address: lower }), new_admin_wallet_address: lower }
    const { status, body: answer } = await convert(origin, key, body)
    const api_key_hash = origin.hashOf(key)
    expect([status, answer]).toEqual([
      200,
      { success: true, wallet_address: admin.address, api_key_hash },
    ])
    const account = accountOf(key)!
    expect(account).toMatchObject({ managed: false, adminWallet: admin.address })
    expect([...account.hashes.keys()]).toEqual([api_key_hash, accountHashOfWallet(admin.address)])
  })

  it('is one transaction, which the service sends and pays for', async () => {
    const key = await origin.account()
    const admin = await makeChainSecured(origin, key)
    const { contractAddress: address, contractBlock: fromBlock } = origin.services.chain
    const { topicHash } = accountConfig.getEvent('AccountConverted')!
    const logs = await provider.getLogs({ address, fromBlock, topics: [topicHash] })
    const ofAccount = logs.filter(({ topics }) => topics[1] === origin.hashOf(key))
    expect(ofAccount).toHaveLength(1)
    const { from } = (await provider.getTransaction(ofAccount[0]!.transactionHash))!
    const { keyring } = origin.services
    const payers = [1, 2].map((number) => new Wallet(keyring.payerKey(number)).address)
    expect(payers).toContain(from)
    expect(await provider.getTransactionCount(admin.address)).toBe(0)
  })

  it('preserves the hash, groups, wallets, actions, usage keys and credit', async () => {
    const key = await origin.poor(50)
    const { wallet_address, pkp_id } = await origin.wallet(key)
    const group = await origin.group(key, { pkp_ids_permitted: [pkp_id] })
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: SIGN })).body
    const action = { group_id: group, action_ipfs_cid: cid, name: 'sign' }
    await origin.core('add_action_to_group', { key, body: action })
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    const read = async () => {
      const { body } = await origin.core(`get_group?group_id=${group}`, { key: usage })
      return { ...body, keys: body.keys.map(({ last_used_at: _at, ...scopes }: any) => scopes) }
    }
    const [before, cents] = [await read(), await balanceOf(key)]
    await makeChainSecured(origin, key)
    expect(accountOf(key)!.hash).toBe(origin.hashOf(key))
    expect(await read()).toEqual(before)
    expect([await balanceOf(key), await balanceOf(usage)]).toEqual([cents, cents])
    const signed = await origin.run(usage, SIGN, { pkpId: pkp_id, message: 'm' })
    expect(verifyMessage('m', signed.body.response)).toBe(wallet_address)
  })

  it('preserves the caps of usage keys, with the spending under them', async () => {
    const key = await origin.account()
    await origin.group(key, { cid_hashes_permitted: [0] })
    const cap = { spend_cap_cents: 2, spend_window_seconds: 3600 }
    const usage = await origin.usageKey(key, { execute_in_groups: [0], ...cap })
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    await makeChainSecured(origin, key)
    expect((await origin.run(usage, ECHO)).status).toBe(200)
    const { status, body } = await origin.run(usage, ECHO)
    expect([status, body.reason]).toEqual([402, 'spend_cap_reached'])
  })

  it('requires the account key, rotated or not', async () => {
    const key = await origin.account()
    const usage = await origin.usageKey(key, EVERY_RIGHT)
    const admin = Wallet.createRandom()
    expect(refusalOf(await convert(origin, usage, conversionTo(admin)))).toEqual([
      403,
      'not_master_account',
    ])
    const rotated = await origin.core('rotate_account_api_key', { key, method: 'POST' })
    expect((await convert(origin, key, conversionTo(admin))).status).toBe(401)
    const { status, body } = await convert(origin, rotated.body.api_key, conversionTo(admin))
    expect([status, body.api_key_hash]).toEqual([200, origin.hashOf(key)])
  })

  it('is free of charge: an account without credit can convert', async () => {
    const key = await origin.poor(0)
    await makeChainSecured(origin, key)
    expect(accountOf(key)).toMatchObject({ managed: false })
    expect(await balanceOf(key)).toBe(0)
  })

  it('checks the form, then permissions, then the signature, and charges nothing if it is rejected', async () => {
    const [poor, key] = [await origin.poor(0), await origin.account()]
    const forged = { ...conversionTo(Wallet.createRandom()), signature: `0x${'11'.repeat(65)}` }
    expect((await convert(origin, poor, { ...forged, typed_data: {} })).status).toBe(422)
    expect((await convert(origin, poor, forged)).status).toBe(400)
    const usage = await origin.usageKey(key, {})
    expect((await convert(origin, usage, forged)).status).toBe(403)
    const before = await balanceOf(key)
    expect((await convert(origin, key, forged)).status).toBe(400)
    expect(await balanceOf(key)).toBe(before)
  })
})

describe('a conversion is rejected without any effect', () => {
  const wallet = Wallet.createRandom()
  type Body = ReturnType<typeof conversionTo>
  const good = (change: Parameters<typeof conversionTo>[1] = {}) => conversionTo(wallet, change)
  const having = (change: (body: any) => void) => (): unknown => {
    const body = structuredClone(good())
    change(body)
    return body
  }
  const signature = (change: (signature: Signature) => string) => () => {
    const body = good()
    return { ...body, signature: change(Signature.from(body.signature)) }
  }
  const other = Wallet.createRandom()

  const table: [string, number, string, () => unknown][] = [
    ['for another chain', 400, 'typed_data.domain.chainId', () => good({ chainId: 1 })],
    [
      'that another wallet signed',
      400,
      'signature: not a signature of',
      () => ({ ...good(), signature: conversionTo(other).signature }),
    ],
    [
      'to another address than the one that signed',
      400,
      'new_admin_wallet_address',
      () => ({ ...good(), new_admin_wallet_address: other.address }),
    ],
    [
      'with high s',
      400,
      'signature: not a signature of',
      signature(({ r, s, v }) => concat([r, toBeHex(ORDER - BigInt(s), 32), toBeHex(55 - v)])),
    ],
    [
      'with a signature of 64 bytes',
      400,
      'signature: not a signature of',
      signature(({ compactSerialized }) => compactSerialized),
    ],
    [
      'with a signature of 66 bytes',
      400,
      'signature: not a signature of',
      signature(({ serialized }) => `${serialized}00`),
    ],
    [
      'that is older than 300 seconds',
      400,
      'typed_data.message.issuedAt',
      () => good({ issuedAt: seconds() - 301 }),
    ],
    [
      'that is from further than 300 seconds ahead',
      400,
      'typed_data.message.issuedAt',
      () => good({ issuedAt: seconds() + 310 }),
    ],
    ['with one more field', 400, 'typed_data: ', having(({ typed_data }) => (typed_data.x = 1))],
    [
      'with one more type',
      400,
      'typed_data.types: ',
      having(({ typed_data }) => (typed_data.types.X = [])),
    ],
    [
      'with one more field of the domain',
      400,
      'typed_data.domain: ',
      having(({ typed_data }) => (typed_data.domain.salt = '0x')),
    ],
    [
      'with one more field of the message',
      400,
      'typed_data.message: ',
      having(({ typed_data }) => (typed_data.message.nonce = 1)),
    ],
    [
      'with fields in another order',
      400,
      'typed_data.types.ConvertAccount[0].name',
      having(
        ({ typed_data: { types } }) => (types.ConvertAccount = types.ConvertAccount.toReversed()),
      ),
    ],
    [
      'under another name',
      400,
      'typed_data.domain.name',
      having(({ typed_data }) => (typed_data.domain.name = 'svc chainsecured')),
    ],
    [
      'for another purpose',
      400,
      'typed_data.primaryType',
      () => good({ purpose: 'AddUsageApiKey' }),
    ],
    [
      'to a name',
      400,
      'new_admin_wallet_address',
      having((body) => (body.new_admin_wallet_address = 'vitalik.eth')),
    ],
    [
      'by a name',
      400,
      'typed_data.message.address',
      having(({ typed_data }) => (typed_data.message.address = 'vitalik.eth')),
    ],
    [
      'of more than 4 KiB',
      400,
      'typed_data: expected at most 4096 bytes',
      having(({ typed_data }) => (typed_data.domain.name = 'x'.repeat(4096))),
    ],
    ['without typed data', 422, 'typed_data', having((body) => delete body.typed_data)],
    ['without a signature', 422, 'signature', having((body) => delete body.signature)],
    [
      'without the new admin',
      422,
      'new_admin_wallet_address',
      having((body) => delete body.new_admin_wallet_address),
    ],
    [
      'for a contract wallet that is not deployed (ERC-6492)',
      400,
      'ERC-6492',
      signature(({ serialized }) => concat([serialized, `0x${'6492'.repeat(16)}`])),
    ],
    [
      'to the zero address, that nobody signs for',
      400,
      'signature: not a signature of 0x0000',
      () => good({ address: `0x${'0'.repeat(40)}` }) satisfies Body,
    ],
  ]

  let key: string
  beforeAll(async () => {
    key = await origin.account()
  })

  it.each(table)('%s: %i', async (_what, status, words, body) => {
    const before = await balanceOf(key)
    const answer = await convert(origin, key, body())
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(words)])
    expect(answer.body.fix).not.toBe('')
    expect([accountOf(key)!.managed, await balanceOf(key)]).toEqual([true, before])
  })

  it('and a correct one is still accepted afterwards', async () => {
    expect((await convert(origin, key, good())).status).toBe(200)
  })
})

describe('a proof of a conversion', () => {
  it('replay: is rejected at the same account and at another one', async () => {
    const [key, other] = [await origin.account(), await origin.account()]
    const proof = conversionTo(Wallet.createRandom())
    expect((await convert(origin, key, proof)).status).toBe(200)
    const before = [await balanceOf(key), await balanceOf(other)]
    expect(refusalOf(await convert(origin, key, proof))).toEqual(USED)
    expect(refusalOf(await convert(origin, other, proof))).toEqual(USED)
    expect([await balanceOf(key), await balanceOf(other)]).toEqual(before)
    expect(accountOf(other)).toMatchObject({ managed: true })
  })

  it('race: converts one account if it is used at once for one account and for several', async () => {
    const [one, other] = [await origin.account(), await origin.account()]
    const proof = conversionTo(Wallet.createRandom())
    const answers = await Promise.all(
      [one, one, other, other].map((key) => convert(origin, key, proof)),
    )
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.map(refusalOf)).toEqual([USED, USED, USED])
    expect([one, other].filter((key) => !accountOf(key)!.managed)).toHaveLength(1)
  })

  it('race: converts the account once if another proof is used at the same time', async () => {
    const key = await origin.account()
    const wallets = [Wallet.createRandom(), Wallet.createRandom()]
    const answers = await Promise.all(
      wallets.map((wallet) => convert(origin, key, conversionTo(wallet))),
    )
    const won = answers.findIndex(({ status }) => status === 200)
    expect([400, 403]).toContain(answers[1 - won]!.status)
    expect(accountOf(key)).toMatchObject({ managed: false, adminWallet: wallets[won]!.address })
  })

  it('gets the first response again if it is repeated under its Idempotency-Key', async () => {
    const key = await origin.account()
    const [proof, headers] = [conversionTo(Wallet.createRandom()), underKey()]
    const before = await balanceOf(key)
    const first = await convert(origin, key, proof, headers)
    const again = await convert(origin, key, proof, headers)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(await balanceOf(key)).toBe(before)
    expect(refusalOf(await convert(origin, key, proof, underKey()))).toEqual(USED)
  })

  /** The origin's app with some services replaced. */
  const appWith = (services: Partial<OriginServices>) =>
    createOriginApp({ ...origin.services, ...services })
  const at = (app: TestOrigin['app'], key: string, body: unknown, headers = {}) =>
    origin.core('convert_to_chain_secured_account', { key, body, headers, app })

  it('joins its first write under its Idempotency-Key if the response was lost, even after its time window', async () => {
    const key = await origin.account()
    const [proof, headers] = [conversionTo(Wallet.createRandom()), underKey()]
    const writer: OriginServices['writer'] = Object.create(origin.services.writer)
    writer.write = async (...args) => {
      await origin.services.writer.write(...args)
      throw new ContractUnavailableError('the write has not been mined yet')
    }
    writer.isRecorded = (id) => origin.services.writer.isRecorded(id)
    writer.join = (id) => origin.services.writer.join(id)
    writer.mayBeRecorded = (id) => origin.services.writer.mayBeRecorded(id)
    const before = await balanceOf(key)
    expect((await at(appWith({ writer }), key, proof, headers)).status).toBe(503)
    const { chain } = origin.services
    const later = new WalletProofs({ chain, now: () => Date.now() + 900_000 })
    const { status, body } = await at(appWith({ walletProofs: later }), key, proof, headers)
    expect([status, body.wallet_address]).toEqual([200, proof.new_admin_wallet_address])
    expect(await balanceOf(key)).toBe(before)
    expect(refusalOf(await convert(origin, key, proof))).toEqual(USED)
  })

  it('can be used again if it was rejected before anything was sent', async () => {
    const key = await origin.account()
    const proof = conversionTo(Wallet.createRandom())
    const away = origin.appThatCannotWrite(new ContractUnavailableError('it does not answer'))
    expect((await at(away, key, proof)).status).toBe(503)
    const owner = await makeChainSecured(origin, await origin.account())
    const taken = conversionTo(owner, { issuedAt: seconds() - 60 })
    for (let time = 0; time < 2; time++)
      expect(refusalOf(await convert(origin, key, taken))).toEqual([409, 'account_already_exists'])
    expect((await convert(origin, key, proof)).status).toBe(200)
  })

  it('is deleted once it is not valid anywhere, and not before', async () => {
    const { conversionProofs } = origin.services
    const rows = async () => (await origin.database.db.query.conversionProofs.findMany()).length
    const before = await rows()
    expect(before).toBeGreaterThan(0)
    await conversionProofs.forgetOld()
    expect(await rows()).toBe(before)
    origin.clock.aheadMs = 1_000_000
    await conversionProofs.forgetOld().finally(() => (origin.clock.aheadMs = 0))
    expect(await rows()).toBe(0)
  })
})

describe('the key that an account had before its conversion', () => {
  it('cannot write, execute, rotate or convert the account again', async () => {
    const key = await origin.account()
    await origin.group(key, { pkp_ids_permitted: [ALL], cid_hashes_permitted: [0] })
    const admin = await makeChainSecured(origin, key)
    const calls: [string, object][] = [
      ['add_group', { name: 'late' }],
      ['add_usage_api_key', { name: 'late', ...EVERY_RIGHT }],
      ['rotate_account_api_key', {}],
      ['convert_to_chain_secured_account', conversionTo(Wallet.createRandom())],
      ['svc_action', { code: ECHO }],
    ]
    for (const [name, body] of calls)
      expect([name, (await origin.core(name, { key, body })).status]).toEqual([name, 403])
    const again = await convert(origin, key, conversionTo(Wallet.createRandom()))
    expect(again.body.fix).toContain('transferChainSecuredAccountOwnership')
    expect(again.body.fix).toContain(admin.address)
  })

  it('can still pay and read the bills', async () => {
    const key = await origin.poor(7)
    await makeChainSecured(origin, key)
    expect(await balanceOf(key)).toBe(7)
    expect((await origin.core('billing/usage', { key })).status).toBe(200)
    const payment = { key, body: { amount_cents: 500 } }
    // No payment processor is configured here.
    expect((await origin.core('billing/create_payment_intent', payment)).status).toBe(503)
  })

  it('attack: gets no private key in a run that started before the conversion', async () => {
    const key = await origin.account()
    const { pkp_id: pkpId } = await origin.wallet(key)
    await origin.group(key, { pkp_ids_permitted: [pkpId], cid_hashes_permitted: [0] })
    const run = origin.run(key, KEY_UNTIL_REFUSED, { pkpId })
    await expect.poll(() => origin.logs.at(-1)?.event, { timeout: 60_000 }).toBe('run.started')
    await makeChainSecured(origin, key)
    const { status, body } = await run
    expect([status, typeof body]).toEqual([500, 'string'])
    expect(body).toContain('getPrivateKey')
  })

  it('race: concurrent writes succeed or are rejected, and only those that succeed are charged', async () => {
    const key = await origin.account()
    const before = await balanceOf(key)
    const writes = [1, 2, 3, 4].map((n) =>
      origin.core('add_group', { key, body: { name: `g${n}` }, headers: underKey() }),
    )
    const converted = convert(origin, key, conversionTo(Wallet.createRandom()))
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    expect((await converted).status).toBe(200)
    const done = statuses.filter((status) => status === 200).length
    expect(statuses.every((status) => status === 200 || status === 403)).toBe(true)
    expect(accountOf(key)!.groups.size).toBe(done)
    expect(before - (await balanceOf(key))).toBe(done)
  })
})

describe('a contract wallet', () => {
  it('becomes the admin if its owner has signed, and can write the account, but its owner alone cannot', async () => {
    const owner = Wallet.createRandom().connect(provider)
    await provider.send('anvil_setBalance', [owner.address, '0x8ac7230489e80000'])
    const address = await deployOwnedWallet(payer, owner.address)
    const key = await origin.account()
    const answer = await convert(origin, key, conversionTo(owner, { address }))
    expect([answer.status, answer.body.wallet_address]).toEqual([200, address])
    const { contractAddress } = origin.services.chain
    const call = accountConfig.encodeFunctionData('addGroup', [
      accountHashOfWallet(address),
      'of the contract',
      '',
      [],
      [],
    ])
    const direct = provider.call({ from: owner.address, to: contractAddress, data: call })
    await expect(direct).rejects.toThrow('revert')
    const abi = ['function execute(address target, bytes data) returns (bytes)']
    const wallet = new Contract(address, abi, owner)
    const receipt = await (await wallet.getFunction('execute').send(contractAddress, call)).wait()
    await origin.services.mirror.syncTo(receipt!.blockNumber, receipt!.blockHash)
    const names = [...accountOf(key)!.groups.values()].map(({ name }) => name)
    expect(names).toEqual(['of the contract'])
  })

  it('is rejected if its owner has not signed', async () => {
    const address = await deployOwnedWallet(payer, Wallet.createRandom().address)
    const answer = await convert(
      origin,
      await origin.account(),
      conversionTo(Wallet.createRandom(), { address }),
    )
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(address)])
  })

  it('flood: limits the signatures of one network before our node calls the contracts that they name', async () => {
    const address = await deployHostileWallet(payer, 'reverts')
    const key = await origin.account()
    const { now, chain } = origin.services
    const proofs = { burst: 2, perHour: 60 }
    const hashKey = randomBytes(32)
    const walletCalls = new WalletCallLimits({ db: origin.database.db, now, hashKey, proofs })
    const app = createOriginApp({ ...origin.services, walletCalls })
    const asked = vi.spyOn(chain.provider, 'send')
    const statuses = []
    for (let time = 0; time < 3; time++) {
      const body = conversionTo(Wallet.createRandom(), { address })
      const answer = await origin.core('convert_to_chain_secured_account', { key, body, app })
      statuses.push(answer.status)
    }
    const calls = asked.mock.calls.filter(([method]) => method === 'eth_call')
    asked.mockRestore()
    expect([statuses, calls.length]).toEqual([[400, 400, 429], 2])
  })

  it('yes to everything: can take an account for itself, and for no other address', async () => {
    const address = await deployHostileWallet(payer, 'says yes to everything')
    const anyone = Wallet.createRandom()
    const [key, other] = [await origin.account(), await origin.account()]
    expect((await convert(origin, key, conversionTo(anyone, { address }))).status).toBe(200)
    const victim = Wallet.createRandom().address
    const wrapped = {
      ...conversionTo(anyone, { address: victim }),
      signature: concat([address, hexlify(randomBytes(65))]),
    }
    expect((await convert(origin, other, wrapped)).status).toBe(400)
    const named = { ...conversionTo(anyone, { address }), new_admin_wallet_address: victim }
    expect((await convert(origin, other, named)).status).toBe(400)
    expect(accountOf(other)).toMatchObject({ managed: true })
  })
})
