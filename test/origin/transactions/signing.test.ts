/** The engine with the signer of production, on a chain. */
import { toQuantity, Transaction } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Account, Principal } from '../../../origin/accounts/account.ts'
import { encodeAccount, StoredAccount } from '../../../origin/accounts/mirror/account-codec.ts'
import { AccountsState, indexAccounts } from '../../../origin/accounts/state.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { RunTransactionSigner } from '../../../origin/transactions/signer.ts'
import type { TransactionRecord } from '../../../shared/wire/transactions.ts'
import { PAYEE, THIEF } from '../../shared/policies/requests.ts'
import { policyFrom, policyHolder, recordOf } from '../policies/policy-holder.ts'
import { keyring } from '../runs/wallet-holder.ts'
import { CHAIN, CHAIN_ID, type Engine, startEngine } from './engine.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const ETHER = 10n ** 18n

/** Pays up to 1 ETH a day with gas, to one recipient. */
const POLICY = policyFrom({
  version: 1,
  sums: [{ name: 'a day', of: 'native_spend', window_s: 86_400, max: String(ETHER) }],
  rules: [
    {
      name: 'pay',
      effect: 'allow',
      kind: 'transaction',
      chains: [CHAIN_ID],
      to: [PAYEE],
      calls: 'none',
      value_max: String(ETHER),
      sums: ['a day'],
    },
  ],
})

let engine: Engine
beforeAll(async () => {
  engine = await startEngine()
  await new PolicyDocuments({ db: engine.db, now: Date.now }).store(POLICY)
})
afterAll(() => engine.close())
afterEach(() => engine.closeProcesses())

let names = 0

/** A funded wallet under the policy, a process that signs with it, and a run of the account key. */
async function start() {
  const setAt = Math.floor(Date.now() / 1_000) + 60
  const { address, account } = policyHolder(`payer ${names++}`, recordOf(POLICY, { setAt }), [CID])
  await engine.send('anvil_setBalance', [address, toQuantity(10n * ETHER)])
  const held: Account = { ...account, hashes: new Map([[account.hash, { revoked: false }]]) }
  const stateOf = (one: Account) =>
    new AccountsState(indexAccounts([new StoredAccount(encodeAccount(one))]))
  let state = stateOf(held)
  const { db } = engine
  const monotonic = () => performance.now()
  const policySigner = new PolicySigner({
    keyring,
    documents: new PolicyDocuments({ db, now: Date.now }),
    sums: new PolicySums({ db, now: Date.now, monotonic, log: () => {} }),
    chainTime: () => setAt,
    now: Date.now,
    log: () => {},
  })
  const mirror = { current: () => state }
  const signer = new RunTransactionSigner({
    keyring,
    mirror,
    keyLimits: { isExpired: () => false },
    policySigner,
  })
  const { transactions: service } = await engine.open({ signer })
  const principal: Principal = { account: held, keyHash: account.hash }
  const sending = { service, runId: 'run' }
  const run = capabilityFor(keyring, CID, () => principal, policySigner, sending)
  const record = async (operation: Parameters<typeof run.keyOperation>[0]) =>
    JSON.parse(await run.keyOperation(operation)) as TransactionRecord
  return {
    address,
    account,
    service,
    run,
    send: (value: bigint, changes: object = {}) => {
      const request = { pkpId: address, chain: CHAIN, to: PAYEE, value: String(value), ...changes }
      return record({ name: 'sendTransaction', request: JSON.stringify(request) })
    },
    waitFor: (transactionId: string, waitFor: 'mined' | 'final') =>
      record({ name: 'transaction', id: transactionId, waitFor, timeoutMs: 60_000 }),
    setAccount: (changes: Partial<Account>) => {
      state = stateOf({ ...held, ...changes })
    },
  }
}

describe('a transaction of an action under a policy', () => {
  let wallet: Awaited<ReturnType<typeof start>>
  beforeEach(async () => {
    wallet = await start()
  })

  it('is mined and final, and names the rule', async () => {
    const sent = await wallet.send(1n)
    const final = await wallet.waitFor(sent.id, 'final')
    expect(final).toMatchObject({ state: 'final', run_id: 'run', step: 0, action_cid: CID })
    expect(final.policy).toEqual({ hash: POLICY.hash, rule: 'pay' })
    const { from } = (await engine.provider.getTransaction(final.mined!.hash))!
    expect(from).toBe(wallet.address)
  })

  it('fails with the explanation if the policy denies it, and costs nothing', async () => {
    const { id: denied } = await wallet.send(1n, { to: THIEF })
    const record = await wallet.waitFor(denied, 'mined')
    expect(record).toMatchObject({ state: 'failed', nonce: null, attempts: [] })
    expect(record.failure).toMatchObject({ code: 'policy_denied' })
    expect(record.failure?.message).toMatch(/^Denied: the rule "pay" .* is not named in to\./)
    const { id: allowed } = await wallet.send(1n)
    expect(await wallet.waitFor(allowed, 'mined')).toMatchObject({ nonce: 0 })
  })

  it('revoked key: fails, and is not signed', async () => {
    wallet.setAccount({ hashes: new Map([[wallet.account.hash, { revoked: true }]]) })
    const { id: sent } = await wallet.send(1n)
    const record = await wallet.service.waitFor(wallet.account.hash, sent, 'mined', 60_000)
    expect(record).toMatchObject({ state: 'failed', attempts: [] })
    expect(record?.failure?.code).toBe('permission_revoked')
  })

  it('nonce theft: signTransaction is refused until it is final', async () => {
    const { id: sent } = await wallet.send(1n)
    const fees = { gasLimit: 21_000, maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1' }
    const next = { type: 2, chainId: CHAIN_ID, nonce: 1, to: PAYEE, value: '1', ...fees }
    const transaction = JSON.stringify(next)
    const sign = () =>
      wallet.run.keyOperation({ name: 'signTransaction', pkpId: wallet.address, transaction })
    await expect(sign()).rejects.toThrow(`open transactions on the chain ${CHAIN_ID}`)
    await wallet.waitFor(sent, 'final')
    expect(Transaction.from(await sign()).from).toBe(wallet.address)
  })

  it('is mined after a reorganization left a gap, although the policy allows nothing to the wallet', async () => {
    const fees = {
      gasLimit: 21_000,
      maxFeePerGas: '20000000000',
      maxPriorityFeePerGas: '1000000000',
    }
    const first = { type: 2, chainId: CHAIN_ID, nonce: 0, to: PAYEE, value: '1', ...fees }
    const transaction = JSON.stringify(first)
    const { address: pkpId } = wallet
    const raw = await wallet.run.keyOperation({ name: 'signTransaction', pkpId, transaction })
    await engine.standStill()
    await engine.send('eth_sendRawTransaction', [raw])
    await engine.mine()
    const { id: sent } = await wallet.send(1n)
    const hasNonce = async () => (await wallet.service.find(wallet.account.hash, sent))?.nonce
    await expect.poll(hasNonce, { timeout: 60_000 }).toBe(1)
    // The first transaction is not in the new blocks.
    await engine.send('anvil_reorg', [1, []])
    await engine.send('anvil_dropAllTransactions', [])
    await engine.goOn()
    expect(await wallet.waitFor(sent, 'mined')).toMatchObject({ state: 'mined', nonce: 1 })
    const page = { offset: 0, limit: 10 }
    const { records } = await wallet.service.list(wallet.account.hash, {}, page)
    const filler = records.find((record) => record.id !== sent)
    expect(filler).toMatchObject({ nonce: 0, to: wallet.address, value: '0', data: '0x' })
  })
})

describe('a payment of more than half a sum', () => {
  beforeEach(() => engine.standStill())
  afterEach(() => engine.goOn())

  const signed = async (wallet: Awaited<ReturnType<typeof start>>, count: number) => {
    const { id: sent } = await wallet.send((ETHER * 6n) / 10n)
    const attempts = async () => {
      const found = await wallet.service.find(wallet.account.hash, sent)
      return found?.attempts.map(({ kind }) => kind)
    }
    await expect.poll(attempts, { timeout: 60_000 }).toHaveLength(count)
    return { sent, attempts }
  }

  it('is sped up, and only the additional fee is counted', async () => {
    const wallet = await start()
    const { sent, attempts } = await signed(wallet, 1)
    await wallet.service.speedUp(wallet.account.hash, sent)
    await expect.poll(attempts, { timeout: 60_000 }).toEqual(['send', 'speed_up'])
    await engine.goOn()
    expect(await wallet.waitFor(sent, 'final')).toMatchObject({ state: 'final' })
    const { id: second } = await wallet.send((ETHER * 6n) / 10n)
    expect((await wallet.waitFor(second, 'mined')).failure?.message).toContain('of the sum a day')
  })

  it('and of the whole sum says why it is neither sped up nor cancelled', async () => {
    await engine.send('anvil_setNextBlockBaseFeePerGas', ['0x3e8'])
    await engine.mine()
    const wallet = await start()
    const fee = 500_000_000n
    const { id: sent } = await wallet.send(ETHER - 21_000n * fee, { maxFeePerGas: String(fee) })
    const found = async () => (await wallet.service.find(wallet.account.hash, sent))!
    const state = async () => (await found()).state
    await expect.poll(state, { timeout: 60_000 }).toBe('broadcast')
    const message = async () => (await found()).waiting_message ?? ''
    await wallet.service.speedUp(wallet.account.hash, sent, 50n * 10n ** 9n)
    await expect.poll(message, { timeout: 60_000 }).toMatch(/^Denied: .* it would add .* to a day/)
    expect(await found()).toMatchObject({ waiting_for: 'fees', attempts: [{ kind: 'send' }] })
    await wallet.service.cancel(wallet.account.hash, sent)
    await expect.poll(message, { timeout: 60_000 }).toContain('at the price of its cancellation')
    await engine.goOn()
    const final = { state: 'final', waiting_for: null, waiting_message: null }
    expect(await wallet.waitFor(sent, 'final')).toMatchObject(final)
  })

  it('is cancelled, although the policy allows no transactions to the wallet', async () => {
    const wallet = await start()
    const { sent, attempts } = await signed(wallet, 1)
    await wallet.service.cancel(wallet.account.hash, sent)
    await expect.poll(attempts, { timeout: 60_000 }).toEqual(['send', 'cancel'])
    await engine.goOn()
    expect(await wallet.waitFor(sent, 'final')).toMatchObject({ state: 'cancelled' })
    const balance = await engine.provider.getBalance(wallet.address)
    expect(balance).toBeGreaterThan(10n * ETHER - ETHER / 100n)
  })
})
