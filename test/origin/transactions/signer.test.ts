import { id, Transaction } from 'ethers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Account, AccountUsageKey } from '../../../origin/accounts/account.ts'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { encodeAccount, StoredAccount } from '../../../origin/accounts/mirror/account-codec.ts'
import { AccountsState, indexAccounts } from '../../../origin/accounts/state.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import { RunTransactionSigner } from '../../../origin/transactions/signer.ts'
import type {
  SigningContext,
  SigningResult,
  UnsignedTransaction,
} from '../../../origin/transactions/types.ts'
import { cidHash } from '../../../shared/cid/cid-format.ts'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import { SEND_TRANSACTION_CID } from '../../../shared/wire/send-transaction-action.ts'
import { openFresh } from '../db/fresh-database.ts'
import { policyFrom, policyHolder, recordOf } from '../policies/policy-holder.ts'
import { PAYEE, THIEF } from '../../shared/policies/requests.ts'
import { accountOf, addressOf, keyring, pkpIdOf, texts } from '../runs/wallet-holder.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const OTHER_CID = 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'
const ADMIN = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const USAGE_KEY = id('a usage key')
const GWEI = 10n ** 9n

const usageKey = (executeInGroups: number[]): AccountUsageKey => ({
  hash: USAGE_KEY,
  ...texts,
  canCreateGroups: false,
  canDeleteGroups: false,
  canCreatePkps: false,
  manageIpfsIdsInGroups: new Set(),
  addPkpToGroups: new Set(),
  removePkpFromGroups: new Set(),
  executeInGroups: new Set(executeInGroups),
  createdAt: 0,
})

/** Adds an account key, and a usage key that may execute in group 1. */
const withKeys = (account: Account): Account => ({
  ...account,
  hashes: new Map([[account.hash, { revoked: false }]]),
  usageKeys: new Map([[USAGE_KEY, usageKey([1])]]),
})

const stateOf = (...accounts: Account[]) =>
  new AccountsState(
    indexAccounts(accounts.map((account) => new StoredAccount(encodeAccount(account)))),
  )

const ACCOUNT = withKeys(accountOf('account', ['permitted', 'outside'], [CID]))
const address = addressOf(ACCOUNT.hash, 'permitted').toLowerCase()

const CONTEXT: SigningContext = {
  id: `tx_${'0'.repeat(32)}`,
  accountHash: ACCOUNT.hash,
  pkpId: pkpIdOf(ACCOUNT.hash, 'permitted'),
  address,
  keyHash: USAGE_KEY,
  actionCid: CID,
}
const outside = addressOf(ACCOUNT.hash, 'outside').toLowerCase()
const OUTSIDE = { pkpId: pkpIdOf(ACCOUNT.hash, 'outside'), address: outside }

const TRANSACTION: UnsignedTransaction = {
  chainId: 8453,
  nonce: 7,
  to: PAYEE.toLowerCase(),
  data: '0x',
  value: 1_000n,
  gasLimit: 50_000n,
  maxFeePerGas: 10n * GWEI,
  maxPriorityFeePerGas: GWEI,
}

let database: Awaited<ReturnType<typeof openFresh>>
let documents: PolicyDocuments
let sums: PolicySums
beforeAll(async () => {
  database = await openFresh()
  const { db } = database
  documents = new PolicyDocuments({ db, now: Date.now })
  sums = new PolicySums({ db, now: Date.now, monotonic: () => performance.now(), log: () => {} })
})
afterAll(() => database.close())

/** A signer whose mirror has these accounts. */
function signerOf(
  current: () => AccountsState,
  changes: Partial<Pick<PolicySums, 'reserve'>> = {},
) {
  const chainTime = () => (current(), 2_000)
  const parts = { keyring, documents, chainTime, now: Date.now, log: () => {} }
  const reserve = changes.reserve ?? ((reservation) => sums.reserve(reservation))
  const reservedUnder = sums.reservedUnder.bind(sums)
  const policySigner = new PolicySigner({ ...parts, sums: { reserve, reservedUnder } })
  return new RunTransactionSigner({
    keyring,
    mirror: { current },
    keyLimits: { isExpired: () => false },
    policySigner,
  })
}

const signed = (account: Account, context: Partial<SigningContext> = {}) =>
  signerOf(() => stateOf(account)).sign(TRANSACTION, { ...CONTEXT, ...context })

function rawOf(result: SigningResult): Transaction {
  if (!('signed' in result)) throw new Error(JSON.stringify(result))
  return Transaction.from(result.signed.raw)
}

const revoked = (message: RegExp) => ({
  refused: { code: 'permission_revoked', message: expect.stringMatching(message) },
})
const denied = (message: RegExp) => ({
  refused: { code: 'policy_denied', message: expect.stringMatching(message) },
})

describe('a wallet without a policy', () => {
  it('signs an EIP-1559 transaction', async () => {
    const result = await signed(ACCOUNT)
    const transaction = rawOf(result)
    expect(transaction.from?.toLowerCase()).toBe(address)
    expect(result).toEqual({ signed: { hash: transaction.hash, raw: transaction.serialized } })
    expect(transaction.toJSON()).toMatchObject({
      type: 2,
      to: PAYEE,
      value: '1000',
      nonce: 7,
      gasLimit: '50000',
      maxFeePerGas: String(10n * GWEI),
      chainId: '8453',
    })
  })

  it('signs a replacement with other fees, and an empty transaction that cancels', async () => {
    const signer = signerOf(() => stateOf(ACCOUNT))
    const more = { ...TRANSACTION, maxFeePerGas: 12n * GWEI }
    const replacement = rawOf(await signer.replace(more, TRANSACTION, CONTEXT))
    expect([replacement.to, replacement.maxFeePerGas]).toEqual([PAYEE, 12n * GWEI])
    const fees = { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: 2n * GWEI }
    const cancellation = rawOf(await signer.cancel(TRANSACTION, fees, CONTEXT))
    expect(cancellation).toMatchObject({ nonce: 7, chainId: 8453n, ...fees })
    const { from, to, data, value, gasLimit } = cancellation
    expect([to, data, value, gasLimit]).toEqual([from, '0x', 0n, 21_000n])
  })
})

describe('the permission at the signature', () => {
  const inGroups = (changes: Partial<Account>): Account => ({ ...ACCOUNT, ...changes })

  it('of a usage key is its group', async () => {
    expect(await signed(ACCOUNT)).toHaveProperty('signed')
    expect(await signed(ACCOUNT, { actionCid: OTHER_CID })).toEqual(revoked(/no longer allowed/))
    expect(await signed(ACCOUNT, OUTSIDE)).toEqual(revoked(/no longer allowed to use the wallet/))
  })

  it('of a usage key over HTTP is a group that has the built-in action', async () => {
    const http = { actionCid: SEND_TRANSACTION_CID }
    expect(await signed(ACCOUNT, http)).toEqual(revoked(/no longer allowed/))
    const group = ACCOUNT.groups.get(1)!
    const cidHashes = new Set([cidHash(SEND_TRANSACTION_CID)])
    const sender = inGroups({ groups: new Map([[1, { ...group, cidHashes }]]) })
    expect(await signed(sender, http)).toHaveProperty('signed')
    expect(await signed(sender, { ...http, ...OUTSIDE })).toEqual(revoked(/no longer allowed/))
  })

  it('of an account key over HTTP needs no group', async () => {
    const http = { keyHash: ACCOUNT.hash, actionCid: SEND_TRANSACTION_CID, ...OUTSIDE }
    expect(rawOf(await signed(ACCOUNT, http)).from?.toLowerCase()).toBe(outside)
  })

  it('account key in a run: signs only with wallets of the action’s groups', async () => {
    const run = { keyHash: ACCOUNT.hash }
    expect(await signed(ACCOUNT, run)).toHaveProperty('signed')
    expect(await signed(ACCOUNT, { ...run, ...OUTSIDE })).toEqual(revoked(/no longer allowed/))
  })

  it('of an admin wallet ends when the account is transferred', async () => {
    const http = { keyHash: accountHashOfWallet(ADMIN), actionCid: SEND_TRANSACTION_CID }
    const secured = inGroups({ managed: false, adminWallet: ADMIN })
    expect(await signed(secured, http)).toHaveProperty('signed')
    expect(await signed(inGroups({ managed: false, adminWallet: THIEF }), http)).toEqual(
      revoked(/revoked or replaced/),
    )
    expect(await signed(inGroups({ adminWallet: ADMIN }), http)).toEqual(revoked(/revoked/))
  })

  it('converted account: its former account key sends nothing', async () => {
    const secured = inGroups({ managed: false, adminWallet: ADMIN })
    const http = { keyHash: ACCOUNT.hash, actionCid: SEND_TRANSACTION_CID }
    expect(await signed(secured, http)).toEqual(revoked(/no longer allowed/))
    expect(await signed(secured, { keyHash: ACCOUNT.hash })).toEqual(revoked(/no longer allowed/))
  })

  it.each([
    ['revoked usage key', inGroups({ usageKeys: new Map() }), /revoked or replaced/],
    ['emptied group', inGroups({ groups: new Map() }), /no longer allowed/],
    [
      'usage key that was moved to another group',
      inGroups({ usageKeys: new Map([[USAGE_KEY, usageKey([2])]]) }),
      /no longer allowed/,
    ],
    ['removed wallet', inGroups({ wallets: new Map() }), /no longer allowed/],
  ])('%s: signs neither a transaction nor a replacement', async (_what, changed, message) => {
    expect(await signed(changed)).toEqual(revoked(message))
    const more = { ...TRANSACTION, maxFeePerGas: 12n * GWEI }
    const replaced = signerOf(() => stateOf(changed)).replace(more, TRANSACTION, CONTEXT)
    expect(await replaced).toEqual(revoked(message))
  })

  it('of a revoked key is not needed to cancel', async () => {
    const signer = signerOf(() => stateOf(inGroups({ usageKeys: new Map(), groups: new Map() })))
    const fees = { maxFeePerGas: 12n * GWEI, maxPriorityFeePerGas: GWEI }
    expect(await signer.cancel(TRANSACTION, fees, CONTEXT)).toHaveProperty('signed')
  })

  it('key of another account: signs nothing', async () => {
    const other = withKeys(accountOf('another account', ['permitted'], [CID]))
    const signer = signerOf(() => stateOf({ ...ACCOUNT, usageKeys: new Map() }, other))
    const http = { keyHash: other.hash, actionCid: SEND_TRANSACTION_CID }
    expect(await signer.sign(TRANSACTION, { ...CONTEXT, ...http })).toEqual(revoked(/revoked/))
    expect(await signer.sign(TRANSACTION, CONTEXT)).toEqual(revoked(/revoked or replaced/))
    const stolen = { ...CONTEXT, ...http, accountHash: other.hash }
    expect(await signer.sign(TRANSACTION, stolen)).toEqual(revoked(/the account has no wallet/))
    const fees = { maxFeePerGas: 12n * GWEI, maxPriorityFeePerGas: GWEI }
    expect(await signer.cancel(TRANSACTION, fees, stolen)).toEqual(revoked(/has no wallet/))
  })

  it('stolen registration: a foreign address that was registered with its path signs nothing', async () => {
    const thief = withKeys(accountOf('thief', ['permitted'], [CID]))
    const [wallet] = ACCOUNT.wallets.values()
    const registered = { ...thief, wallets: new Map([[wallet!.pkpId, wallet!]]) }
    const http = { keyHash: thief.hash, actionCid: SEND_TRANSACTION_CID, accountHash: thief.hash }
    expect(await signed(registered, http)).toEqual(revoked(/the account has no wallet/))
  })

  it('altered row: signs nothing with a wallet whose address is another one', async () => {
    const http = { keyHash: ACCOUNT.hash, actionCid: SEND_TRANSACTION_CID }
    expect(await signed(ACCOUNT, { ...http, address: outside })).toEqual(revoked(/has no wallet/))
  })

  it('throws while permissions cannot be read, instead of refusing for ever', async () => {
    const signer = signerOf(() => {
      throw new ContractUnavailableError('its nodes do not respond')
    })
    await expect(signer.sign(TRANSACTION, CONTEXT)).rejects.toThrow(ContractUnavailableError)
  })
})

/** Pays up to 0.1 ETH a day with gas, to one recipient. */
const PAYMENTS = {
  version: 1,
  sums: [{ name: 'a day', of: 'native_spend', window_s: 86_400, max: String(10n ** 17n) }],
  rules: [
    {
      name: 'pay',
      effect: 'allow',
      kind: 'transaction',
      chains: [8453],
      to: [PAYEE],
      calls: 'none',
      value_max: String(10n ** 17n),
      gas_price_max: String(100n * GWEI),
      sums: ['a day'],
    },
  ],
}
const POLICY = policyFrom(PAYMENTS)
const NO_SUMS = policyFrom({
  version: 1,
  rules: [{ ...PAYMENTS.rules[0], sums: undefined }],
})
/** Allows nothing that the others allow. */
const TIGHT = policyFrom({ ...PAYMENTS, rules: [{ ...PAYMENTS.rules[0], to: [THIEF] }] })

let names = 0

/** A wallet that has not spent anything. */
function payer(policy: Policy = POLICY) {
  const name = `payer ${names++}`
  const under = (held: Policy, changes: Partial<Account> = {}) => {
    // Since the database was created after this time, sums are complete.
    const setAt = Math.floor(Date.now() / 1_000) + 60
    const holder = policyHolder(name, recordOf(held, { setAt }), [CID])
    return { holder, state: stateOf({ ...withKeys(holder.account), ...changes }) }
  }
  let { holder, state } = under(policy)
  const { account, wallet } = holder
  const context = {
    ...CONTEXT,
    accountHash: account.hash,
    pkpId: wallet.pkpId,
    address: holder.address.toLowerCase(),
  }
  const signer = signerOf(() => state)
  const used = async () => {
    const states = await sums.read(wallet.pkpId)
    return [...states.values()]
      .flatMap(({ buckets }) => buckets)
      .reduce((sum, { amount }) => sum + amount, 0n)
  }
  return {
    account,
    context,
    used,
    sign: (changes: Partial<UnsignedTransaction> = {}) =>
      signer.sign({ ...TRANSACTION, ...changes }, context),
    replace: (next: Partial<UnsignedTransaction>, before: Partial<UnsignedTransaction> = {}) =>
      signer.replace({ ...TRANSACTION, ...next }, { ...TRANSACTION, ...before }, context),
    fill: (
      nonce: number,
      maxFeePerGas: bigint,
      above: Partial<UnsignedTransaction> = {},
      replaced?: bigint,
    ) =>
      signer.fillGap(
        {
          nonce,
          above: { ...TRANSACTION, ...above },
          ...(replaced && { replaced: { maxFeePerGas: replaced, maxPriorityFeePerGas: GWEI } }),
        },
        { maxFeePerGas, maxPriorityFeePerGas: GWEI },
        context,
      ),
    cancel: (maxFeePerGas: bigint, cancelled: Partial<UnsignedTransaction> = {}) =>
      signer.cancel(
        { ...TRANSACTION, ...cancelled },
        { maxFeePerGas, maxPriorityFeePerGas: GWEI },
        context,
      ),
    /** Replaces the policy. */
    setPolicy: (next: Policy) => {
      state = under(next).state
    },
    setState: (next: AccountsState) => {
      state = next
    },
  }
}

const COST = 1_000n + 50_000n * 10n * GWEI

describe('a wallet with a policy', () => {
  beforeAll(() => Promise.all([POLICY, NO_SUMS, TIGHT].map((policy) => documents.store(policy))))
  let wallet: ReturnType<typeof payer>
  beforeEach(() => {
    wallet = payer()
  })

  it('signs what the policy allows, and names the rule', async () => {
    const result = await wallet.sign()
    expect(rawOf(result).from?.toLowerCase()).toBe(wallet.context.address)
    expect(result).toMatchObject({ signed: { policy: { hash: POLICY.hash, rule: 'pay' } } })
    expect(await wallet.used()).toBe(COST)
  })

  it('charges a repeated signature once', async () => {
    expect(await wallet.sign()).toEqual(await wallet.sign())
    expect(await wallet.used()).toBe(COST)
  })

  it('does not sign what the policy denies, and says why', async () => {
    expect(await wallet.sign({ to: THIEF.toLowerCase() })).toEqual(denied(/is not named in to/))
    expect(await wallet.sign({ value: 10n ** 17n })).toEqual(denied(/^Denied: .*a day/))
    expect(await wallet.used()).toBe(0n)
  })

  it('throws while the policy cannot be checked', async () => {
    const { account, context } = payer()
    const failing = signerOf(() => stateOf(withKeys(account)), {
      reserve: () => Promise.reject(new Error('connection lost')),
    })
    await expect(failing.sign(TRANSACTION, context)).rejects.toThrow('cannot be checked')
    const unknown = payer(policyFrom({ ...PAYMENTS, name: 'never stored' }))
    await expect(unknown.sign()).rejects.toThrow('is not stored')
    await expect(unknown.cancel(GWEI)).rejects.toThrow('is not stored')
  })

  it('revoked key: what was reserved is spent, and nothing is signed', async () => {
    const { account, context } = wallet
    let state = stateOf(withKeys(account))
    const signer = signerOf(() => state, {
      reserve: async (reservation) => {
        const result = await sums.reserve(reservation)
        state = stateOf({ ...withKeys(account), usageKeys: new Map() })
        return result
      },
    })
    expect(await signer.sign(TRANSACTION, context)).toEqual(revoked(/revoked or replaced/))
    expect(await wallet.used()).toBe(COST)
  })
})

describe('a replacement under a policy', () => {
  const raised = { maxFeePerGas: 12n * GWEI }

  it('adds only the additional fee to the sums', async () => {
    const wallet = payer()
    await wallet.sign()
    expect(rawOf(await wallet.replace(raised)).maxFeePerGas).toBe(12n * GWEI)
    expect(await wallet.used()).toBe(COST + 50_000n * 2n * GWEI)
    await wallet.replace({ maxFeePerGas: 15n * GWEI }, raised)
    expect(await wallet.used()).toBe(COST + 50_000n * 5n * GWEI)
    // Lower fees, and a repetition, are free.
    await wallet.replace({ maxFeePerGas: 14n * GWEI }, { maxFeePerGas: 15n * GWEI })
    await wallet.replace({ maxFeePerGas: 15n * GWEI }, raised)
    expect(await wallet.used()).toBe(COST + 50_000n * 5n * GWEI)
  })

  it('is possible although the sum has no room for a second payment', async () => {
    const wallet = payer()
    const value = 9n * 10n ** 16n
    await wallet.sign({ value })
    expect(await wallet.sign({ value, nonce: 8 })).toEqual(denied(/remain of the sum a day/))
    expect(await wallet.replace({ ...raised, value }, { value })).toHaveProperty('signed')
  })

  it('is denied above the policy’s gas price, and if the sum has no room for the fee', async () => {
    const wallet = payer()
    await wallet.sign()
    expect(await wallet.replace({ maxFeePerGas: 101n * GWEI })).toEqual(denied(/gas price/))
    const value = 10n ** 17n - COST
    const gas = { value, nonce: 8, gasLimit: 21_000n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
    expect(await wallet.sign(gas)).toHaveProperty('signed')
    expect(await wallet.replace(raised)).toEqual(denied(/^Denied: 0 of 100000000000000000 remain/))
  })

  it('unknown replaced transaction: is charged in full', async () => {
    const wallet = payer()
    await wallet.replace(raised)
    expect(await wallet.used()).toBe(1_000n + 50_000n * 12n * GWEI)
  })

  it('transaction of another wallet: is charged in full', async () => {
    const [one, other] = [payer(), payer()]
    await one.sign()
    await other.replace(raised)
    expect(await other.used()).toBe(1_000n + 50_000n * 12n * GWEI)
  })

  it('replaced policy: is charged in full under the new one', async () => {
    const wallet = payer()
    await wallet.sign()
    const renamed = policyFrom({ ...PAYMENTS, name: 'renamed' })
    await documents.store(renamed)
    wallet.setPolicy(renamed)
    await wallet.replace(raised)
    expect(await wallet.used()).toBe(COST + 1_000n + 50_000n * 12n * GWEI)
  })

  it('concurrent replacements of one transaction: never count less than the dearest', async () => {
    const wallet = payer()
    await wallet.sign()
    const fees = [11n, 12n, 13n, 14n].map((price) => ({ maxFeePerGas: price * GWEI }))
    await Promise.all(fees.map((fee) => wallet.replace(fee)))
    expect(await wallet.used()).toBe(COST + 50_000n * (1n + 2n + 3n + 4n) * GWEI)
  })

  it.each([
    ['nonce', { nonce: 8 }],
    ['chain', { chainId: 1 }],
    ['recipient', { to: THIEF.toLowerCase() }],
    ['value', { value: 1_001n }],
    ['data', { data: '0x00' }],
    ['gas limit', { gasLimit: 50_001n }],
  ])('forged replacement with another %s: throws, and nothing is spent', async (_what, changes) => {
    for (const policy of [POLICY, undefined]) {
      const wallet = payer()
      await wallet.sign()
      const attempt = policy
        ? wallet.replace({ ...raised, ...changes })
        : signerOf(() => stateOf(ACCOUNT)).replace(
            { ...TRANSACTION, ...raised, ...changes },
            TRANSACTION,
            CONTEXT,
          )
      await expect(attempt).rejects.toThrow('only in its fees')
      expect(await wallet.used()).toBe(COST)
    }
  })
})

describe('a cancellation under a policy', () => {
  it('is allowed by a policy that does not allow transactions to the wallet, and is free', async () => {
    const wallet = payer()
    await wallet.sign()
    // 21,000 gas at this price cost as much as 50,000 gas at the price of the transaction.
    const transaction = rawOf(await wallet.cancel((10n * GWEI * 50_000n) / 21_000n))
    expect(transaction.to?.toLowerCase()).toBe(wallet.context.address)
    expect([transaction.value, transaction.data, transaction.nonce]).toEqual([0n, '0x', 7])
    expect(await wallet.used()).toBe(COST)
  })

  it('is allowed after the policy was tightened, also without sums', async () => {
    for (const policy of [POLICY, NO_SUMS]) {
      const wallet = payer(policy)
      await wallet.sign({ gasLimit: 21_000n })
      wallet.setPolicy(TIGHT)
      expect(await wallet.sign({ nonce: 8 })).toEqual(denied(/is not named in to/))
      expect(await wallet.cancel(20n * GWEI, { gasLimit: 21_000n })).toHaveProperty('signed')
    }
  })

  it('gas drain: beyond the gas of the transaction, the policy must allow the price, and the sums count it', async () => {
    const wallet = payer()
    const plain = { gasLimit: 21_000n }
    await wallet.sign(plain)
    const cost = 1_000n + 21_000n * 10n * GWEI
    expect(await wallet.cancel(11n * GWEI, plain)).toHaveProperty('signed')
    expect(await wallet.used()).toBe(cost + 21_000n * GWEI)
    expect(await wallet.cancel(101n * GWEI, plain)).toEqual(denied(/gas price/))
    expect(await wallet.used()).toBe(cost + 21_000n * GWEI)
  })

  it('gas drain: a sum without room for the price refuses the cancellation', async () => {
    const wallet = payer()
    const plain = { gasLimit: 21_000n, value: 10n ** 17n - 21_000n * 10n * GWEI }
    expect(await wallet.sign(plain)).toHaveProperty('signed')
    expect(await wallet.cancel(11n * GWEI, plain)).toEqual(
      denied(/at the price of its canc.*a day/),
    )
    expect(await wallet.cancel(10n * GWEI, plain)).toHaveProperty('signed')
  })

  it('gas drain: after a tightening, at most twice the price of the transaction', async () => {
    const wallet = payer()
    await wallet.sign({ gasLimit: 21_000n })
    wallet.setPolicy(TIGHT)
    const refused = await wallet.cancel(20n * GWEI + 1n, { gasLimit: 21_000n })
    expect(refused).toEqual(denied(/at the price of its cancellation/))
  })

  it('gas drain: a cancellation cannot be cancelled at an ever higher price', async () => {
    const wallet = payer()
    const plain = { gasLimit: 21_000n }
    await wallet.sign(plain)
    const to = wallet.context.address
    const cancellation = { ...plain, to, value: 0n, maxFeePerGas: 20n * GWEI }
    await wallet.cancel(20n * GWEI, plain)
    expect(await wallet.cancel(40n * GWEI, cancellation)).toEqual(denied(/not named in to/))
  })

  it('forged transaction: one that was never signed is charged in full', async () => {
    const wallet = payer()
    expect(await wallet.cancel(GWEI)).toHaveProperty('signed')
    expect(await wallet.used()).toBe(COST)
  })

  it('forged transaction: a nonce that the policy has not allowed is not cancelled', async () => {
    const wallet = payer()
    await wallet.sign()
    const never = /does not allow the transaction/
    expect(await wallet.cancel(GWEI, { to: THIEF.toLowerCase() })).toEqual(denied(never))
    expect(await wallet.cancel(GWEI, { maxFeePerGas: 10n ** 6n * GWEI })).toEqual(denied(never))
    wallet.setPolicy(TIGHT)
    expect(await wallet.cancel(GWEI, { nonce: 8 })).toEqual(denied(never))
    expect(await wallet.used()).toBe(COST)
  })
})

/** Sums of everything that a rule can count. */
const COUNTED = policyFrom({
  version: 1,
  sums: [
    { name: 'spent', of: 'native_spend', window_s: 86_400, max: String(10n ** 17n) },
    { name: 'paid', of: 'native_value', window_s: 86_400, max: String(10n ** 17n) },
    { name: 'signed', of: 'signatures', window_s: 86_400, max: '3' },
  ],
  rules: [{ ...PAYMENTS.rules[0], sums: ['spent', 'paid', 'signed'] }],
})

describe('a transaction that fills a gap under a policy', () => {
  /** Most that the gas of the transaction above may cost, for 21,000 gas. */
  const CEILING = (10n * GWEI * 50_000n) / 21_000n
  beforeAll(() => documents.store(COUNTED))

  it('is empty, and allowed by a policy that does not allow transactions to the wallet', async () => {
    const wallet = payer()
    await wallet.sign()
    const transaction = rawOf(await wallet.fill(5, CEILING))
    expect(transaction.to?.toLowerCase()).toBe(wallet.context.address)
    expect(transaction).toMatchObject({ value: 0n, data: '0x', nonce: 5, chainId: 8453n })
    expect([transaction.gasLimit, transaction.maxFeePerGas]).toEqual([21_000n, CEILING])
    expect(await wallet.used()).toBe(COST + 21_000n * CEILING)
  })

  it('needs no policy and no permission of the key that sent the one above', async () => {
    const signer = signerOf(() => stateOf({ ...ACCOUNT, usageKeys: new Map(), groups: new Map() }))
    const fees = { maxFeePerGas: 90n * GWEI, maxPriorityFeePerGas: GWEI }
    const filler = rawOf(await signer.fillGap({ nonce: 5, above: TRANSACTION }, fees, CONTEXT))
    expect(filler).toMatchObject({ nonce: 5, value: 0n, data: '0x', ...fees })
    expect(filler.to).toBe(filler.from)
  })

  it('counts its fee and one signature, and nothing else', async () => {
    const wallet = payer(COUNTED)
    await wallet.fill(5, GWEI, { value: 10n ** 16n })
    const states = await sums.read(wallet.context.pkpId)
    const counted = [...states].map(([key, { buckets }]) => [key, buckets.at(-1)?.amount])
    expect(Object.fromEntries(counted)).toEqual({ 'spent/8453': 21_000n * GWEI, signed: 1n })
  })

  it('with higher fees counts only the difference, and again nothing', async () => {
    const wallet = payer(COUNTED)
    const usedOf = async (key: string) =>
      (await sums.read(wallet.context.pkpId)).get(key)?.buckets.at(-1)?.amount
    for (const [fee, replaced] of [[GWEI], [2n * GWEI, GWEI], [2n * GWEI, GWEI]] as const)
      expect(await wallet.fill(5, fee, {}, replaced)).toHaveProperty('signed')
    expect(await usedOf('spent/8453')).toBe(21_000n * 2n * GWEI)
    expect(await usedOf('signed')).toBe(1n)
  })

  it('gas drain: costs at most as much gas as the transaction above', async () => {
    const wallet = payer()
    await wallet.sign()
    expect(await wallet.fill(5, CEILING + 1n)).toEqual(denied(/may not pay more for gas/))
    const dear = { maxFeePerGas: 101n * GWEI }
    expect(await wallet.fill(5, GWEI, dear)).toEqual(denied(/above the gap.*gas price/))
    expect(await wallet.used()).toBe(COST)
  })

  it('gas drain: gaps without end are filled only within the sums', async () => {
    const wallet = payer()
    const above = { value: 10n ** 17n - COST - 21_000n * 10n * GWEI + 1_000n }
    await wallet.sign(above)
    expect(await wallet.fill(5, 10n * GWEI, above)).toHaveProperty('signed')
    expect(await wallet.fill(6, 10n * GWEI, above)).toEqual(denied(/^Denied: 0 of .* remain/))
    const counted = payer(COUNTED)
    for (const nonce of [1, 2, 3]) expect(await counted.fill(nonce, GWEI)).toHaveProperty('signed')
    expect(await counted.fill(4, GWEI)).toEqual(denied(/^Denied: 0 of 3 remain/))
  })

  it('forged transaction above: one that the policy does not allow fills nothing', async () => {
    const wallet = payer()
    const foreign = { to: THIEF.toLowerCase() }
    expect(await wallet.fill(5, GWEI, foreign)).toEqual(denied(/above the gap.*not named in to/))
    await wallet.sign()
    wallet.setPolicy(TIGHT)
    expect(await wallet.fill(5, GWEI)).toEqual(denied(/above the gap.*not named in to/))
  })

  it('forged gap: a nonce that is not below throws, with and without a policy', async () => {
    const fees = { maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI }
    const plain = signerOf(() => stateOf(ACCOUNT))
    for (const nonce of [7, 8]) {
      await expect(payer().fill(nonce, GWEI)).rejects.toThrow('has a lower nonce')
      const forged = plain.fillGap({ nonce, above: TRANSACTION }, fees, CONTEXT)
      await expect(forged).rejects.toThrow('has a lower nonce')
    }
  })

  it('key of another account: fills nothing', async () => {
    const other = withKeys(accountOf('another account', ['permitted'], [CID]))
    const signer = signerOf(() => stateOf(ACCOUNT, other))
    const fees = { maxFeePerGas: GWEI, maxPriorityFeePerGas: GWEI }
    const stolen = { ...CONTEXT, accountHash: other.hash }
    const filled = signer.fillGap({ nonce: 5, above: TRANSACTION }, fees, stolen)
    expect(await filled).toEqual(revoked(/has no wallet/))
  })
})
