import { readFileSync } from 'node:fs'
import { id, Transaction, verifyMessage, verifyTypedData, zeroPadValue } from 'ethers'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Account, AccountWallet } from '../../../origin/accounts/account.ts'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import type { KeyOperation } from '../../../origin/actions/run.ts'
import { DatabaseUnavailableError } from '../../../origin/db/database-unavailable.ts'
import { walletPolicies } from '../../../origin/db/schema.ts'
import { NO_LOCK } from '../../../origin/keys/keyring.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { PolicySigner, type PolicySignerOptions } from '../../../origin/policies/policy-signer.ts'
import { SumsUnavailableError } from '../../../origin/policies/sums/sums-unavailable.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { PAYEE, THIEF, TRANSACTION, transfer, USDC } from '../../shared/policies/requests.ts'
import { openFresh } from '../db/fresh-database.ts'
import { accountOf, addressOf, keyring, texts } from '../runs/wallet-holder.ts'
import {
  MemorySums,
  ORDER,
  policyFrom,
  policyHolder,
  type PolicyHolder,
  recordOf,
  SPENDING,
  withWallet,
} from './policy-holder.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const OTHER_CID = 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'
const CHAIN_TIME = 2_000
const NOW = Date.parse('2026-07-01T12:00:00Z')

const POLICY = policyFrom(SPENDING)
const holder = policyHolder('account', recordOf(POLICY), [CID])
const { address, wallet } = holder
const pkpId = address

let database: Awaited<ReturnType<typeof openFresh>>
let documents: PolicyDocuments
beforeAll(async () => {
  database = await openFresh()
  documents = new PolicyDocuments({ db: database.db, now: Date.now })
  await documents.store(POLICY)
})
afterAll(() => database.close())

const logs: object[] = []

type Changes = Partial<PolicySignerOptions> & { current?: () => Account; cid?: string }

/** The capability of one run. */
function runOf(account: Account, { current, cid = CID, ...changes }: Changes = {}) {
  const log: PolicySignerOptions['log'] = (event, facts) => void logs.push({ event, ...facts })
  const options = { keyring, documents, chainTime: () => CHAIN_TIME, now: () => NOW, log }
  const signer = new PolicySigner({ ...options, sums: new MemorySums(() => NOW), ...changes })
  const state = current ?? (() => account)
  return capabilityFor(keyring, cid, () => ({ account: state(), keyHash: account.hash }), signer)
}

const asked = (account: Account, operation: KeyOperation, changes?: Changes) =>
  runOf(account, changes).keyOperation(operation)

const message = (text: string): KeyOperation => ({
  name: 'signMessage',
  pkpId,
  message: `0x${Buffer.from(text).toString('hex')}`,
})
const GREETING = message('greetings from us')

const signing = (transaction: object): KeyOperation => ({
  name: 'signTransaction',
  pkpId,
  transaction: JSON.stringify({ ...TRANSACTION, ...transaction }),
})
const PAYMENT = signing({})
/** Without the fees of EIP-1559. */
const NO_FEES = { maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }

const typed = (value: object, changes: object = {}): KeyOperation => ({
  name: 'signTypedData',
  pkpId,
  typedData: JSON.stringify({ ...ORDER, value, ...changes }),
})

describe('a wallet with a policy', () => {
  it('signs what the policy allows', async () => {
    expect(verifyMessage('greetings from us', await asked(holder.account, GREETING))).toBe(address)
    const value = { id: '0x0a', to: PAYEE }
    const order = await asked(holder.account, typed(value))
    expect(verifyTypedData(ORDER.domain, ORDER.types, value, order)).toBe(address)
    const signed = Transaction.from(await asked(holder.account, PAYMENT))
    expect([signed.from, signed.to, signed.data, signed.nonce]).toEqual([
      address,
      USDC,
      transfer(PAYEE, 25_000_000n),
      0,
    ])
  })

  it.each([
    ['a message', message('anything else'), 'signMessage: Denied: the rule "greet" does not allow'],
    ['typed data', typed({ id: 1, to: PAYEE }, { domain: {} }), 'signTypedData: Denied: the rule'],
    ['a transaction', signing({ to: THIEF }), 'signTransaction: Denied: the rule "pay" does not'],
    ['a digest', { name: 'signDigest', pkpId, digest: id('x') }, 'signDigest: Denied'],
  ] satisfies [string, KeyOperation, string][])(
    'does not sign %s that the policy does not allow',
    async (_what, operation, text) => {
      await expect(asked(holder.account, operation)).rejects.toThrow(text)
    },
  )

  it('names the recipient and the reason in the error, and the reason survives a long explanation', async () => {
    const denied = asked(holder.account, signing({ data: transfer(THIEF, 1n) }))
    await expect(denied).rejects.toThrow(
      /^signTransaction: Denied: the rule "pay" .* because to is 0x90f7\w+, which is not in the rule.s list\. Sends 0\.000001 \(1 units\) of USDC to 0x90f7/,
    )
    const members = Array.from({ length: 30 }, (_, at) => ({ name: `f${at}`, type: 'string' }))
    const value = Object.fromEntries(members.map(({ name }) => [name, 'x'.repeat(200)]))
    const long = asked(holder.account, typed(value, { types: { A: members } }))
    const text = await long.then(String, String)
    expect(text.length).toBeGreaterThan(1_000)
    expect(text.slice(0, 1_000)).toContain('does not allow it, because')
  })

  it('throws the error in docs/policies.md for its policy', async () => {
    const page = readFileSync(new URL('../../../docs/policies.md', import.meta.url), 'utf8')
    const [document, request] = [...page.matchAll(/```json\n([^]*?)```/g)].map(
      ([, json = '']) => JSON.parse(json) as object,
    )
    const sample = policyFrom(document!)
    await documents.store(sample)
    const other = policyHolder('account', recordOf(sample), [CID])
    const { transaction } = request as { transaction: object }
    const theft = signing({ ...transaction, data: transfer(THIEF, 25_000_000n) })
    const error = await asked(other.account, theft).then(String, String)
    expect(page).toContain(`\n\`\`\`text\n${error.replace(/^\w+: /, '')}\n\`\`\`\n`)
  })

  it('names what remains of a sum, and when more is available', async () => {
    const run = runOf(holder.account)
    const twice = signing({ data: transfer(PAYEE, 50_000_000n) })
    await run.keyOperation(twice)
    await run.keyOperation(signing({ data: transfer(PAYEE, 40_000_000n), nonce: 1 }))
    await expect(run.keyOperation(signing({ data: transfer(PAYEE, 20_000_000n) }))).rejects.toThrow(
      /^signTransaction: Denied: 10000000 of 100000000 remain of the sum USDC a day\/1\/0xa0b8\S*, and the request needs 20000000, which is available from 2026-07-02T12:\S+Z on\. Sends 20 .* Pays at most \d+ wei for 60000 gas at \d+ wei\.$/,
    )
  })

  it('lists its signatures for the receipt, with what remains of the sums', async () => {
    const run = runOf(holder.account)
    const payment = Transaction.from(await run.keyOperation(PAYMENT))
    await run.keyOperation(GREETING)
    await run.keyOperation(message('refused')).catch(() => {})
    const common = { wallet: address, policy_hash: POLICY.hash }
    const key = `USDC a day/1/${USDC.toLowerCase()}`
    const sums = [{ key, remaining: '75000000', max: '100000000' }]
    expect(run.end()).toEqual([
      { ...common, digest: payment.unsignedHash, rule: 'pay', sums },
      { ...common, digest: expect.stringMatching(/^0x[0-9a-f]{64}$/), rule: 'greet', sums: [] },
    ])
  })

  it('encrypts and decrypts', async () => {
    const ciphertext = await asked(holder.account, { name: 'encrypt', pkpId, message: 'secret' })
    expect(await asked(holder.account, { name: 'decrypt', pkpId, ciphertext })).toBe('secret')
  })

  it.each([
    ['a legacy transaction', { type: 0, gasPrice: '5', ...NO_FEES }],
    [
      'an access list in the form of ethers v5',
      { type: 1, gasPrice: 5, ...NO_FEES, accessList: [[PAYEE, [id('k')]]] },
    ],
    ['a blob transaction', { type: 3, maxFeePerBlobGas: '1', blobVersionedHashes: [id('blob')] }],
    ['numbers of ethers v5', { nonce: '0x05', gasLimit: '0xea60', from: address, accessList: [] }],
  ])('signs %s from the form that was checked', async (_what, changes) => {
    const [rule] = SPENDING.rules
    const all = policyFrom({ ...SPENDING, rules: [{ ...rule, transaction_types: [0, 1, 2, 3] }] })
    await documents.store(all)
    const other = policyHolder('account', recordOf(all), [CID])
    const signed = Transaction.from(await asked(other.account, signing(changes)))
    expect([signed.from, signed.to, signed.chainId]).toEqual([other.address, USDC, 1n])
    expect(signed.type).toBe((changes as { type?: number }).type ?? 2)
    expect(signed.accessList?.length ?? 0).toBe(signed.type === 1 ? 1 : 0)
    expect(signed.blobVersionedHashes ?? []).toEqual(signed.type === 3 ? [id('blob')] : [])
  })

  it.each([
    ['64 KiB of data', signing({ data: `0x${'00'.repeat(65_537)}` }), '65536'],
    [
      '128 entries of an access list',
      signing({ accessList: [[PAYEE, Array(128).fill(id('k'))]] }),
      '128',
    ],
    [
      '512 values',
      typed({ a: Array(600).fill(1) }, { types: { A: [{ name: 'a', type: 'uint256[]' }] } }),
      '512',
    ],
    ['64 KiB of JSON', typed({ id: 'x'.repeat(65_536), to: PAYEE }), '65536'],
    ['64 KiB of a message', message('x'.repeat(65_537)), '65536'],
    [
      '32 struct types',
      typed(
        {},
        { types: Object.fromEntries(Array.from({ length: 33 }, (_, at) => [`T${at}`, []])) },
      ),
      '32',
    ],
    ['a nonce of 2^53', signing({ nonce: String(2n ** 53n) }), '2^53'],
  ])('exhaustion: refuses more than %s before it is hashed', async (_what, operation, limit) => {
    await expect(asked(holder.account, operation)).rejects.toThrow(limit)
  })
})

describe('the private key of a wallet with a policy', () => {
  it.each([
    ['its address', address],
    ['its address in lower case', address.toLowerCase()],
    ['its address in upper case', `0x${address.slice(2).toUpperCase()}`],
    ['its padded ID', zeroPadValue(address, 32)],
    ['its padded ID in mixed case', `0x${'0'.repeat(24)}${address.slice(2)}`],
  ])('key theft: getPrivateKey of %s is refused', async (_what, spelling) => {
    const theft = asked(holder.account, { name: 'getPrivateKey', pkpId: spelling })
    await expect(theft).rejects.toThrow(
      `getPrivateKey: the wallet ${address} has a policy, so its private key cannot be read; use Svc.Actions.wallet({pkpId}) or signTransaction, signTypedData or signMessage`,
    )
  })

  it('key theft: a plain registration of its path gives another key', async () => {
    const { derivationPath } = wallet
    const plainKey = keyring.walletKey(holder.account.hash, derivationPath)
    const plain = addressOf(holder.account.hash, 'policy')
    const registered = { pkpId: zeroPadValue(plain, 32).toLowerCase(), derivationPath, ...texts }
    const both = withWallet(holder.account, registered)
    expect(await asked(both, { name: 'getPrivateKey', pkpId: plain })).toBe(plainKey)
    expect(plainKey).not.toBe(holder.privateKey)
  })

  it('key theft: a plain registration of its address gives nothing', async () => {
    const { policy: _, ...plain } = wallet
    const thief = withWallet(accountOf('account', [], [CID]), plain)
    for (const operation of [{ name: 'getPrivateKey', pkpId } as const, GREETING, PAYMENT])
      await expect(asked(thief, operation)).rejects.toThrow(`the account has no wallet ${pkpId}`)
  })

  it('stolen registration: another account that registers the wallet gets nothing', async () => {
    const thief = withWallet(accountOf('another account', [], [CID]), wallet)
    for (const operation of [{ name: 'getPrivateKey', pkpId } as const, GREETING, PAYMENT])
      await expect(asked(thief, operation)).rejects.toThrow(`the account has no wallet ${pkpId}`)
  })

  it('policy for a key that was read: a plain wallet that is registered under a policy signs nothing', async () => {
    const read = addressOf(holder.account.hash, 'policy')
    const registered = { ...wallet, pkpId: zeroPadValue(read, 32).toLowerCase() }
    const account = withWallet(accountOf('account', [], [CID]), registered)
    const refused = asked(account, { ...GREETING, pkpId: read } as KeyOperation)
    await expect(refused).rejects.toThrow(`the account has no wallet ${read}`)
  })

  it('is out of reach for an action and a key without permission', async () => {
    const other = asked(holder.account, GREETING, { cid: OTHER_CID })
    await expect(other).rejects.toThrow('are not in the same group')
  })
})

describe('an immutable policy', () => {
  const immutable = policyFrom({ ...SPENDING, immutable: true })
  const evil = policyFrom({
    version: 1,
    rules: [{ name: 'all', effect: 'allow', kind: 'digest' }],
  })
  const locked = policyHolder('account', recordOf(immutable), [CID])
  const greeting = { ...GREETING, pkpId: locked.address } as KeyOperation
  const digest: KeyOperation = { name: 'signDigest', pkpId: locked.address, digest: id('x') }
  const under = (policy: AccountWallet['policy']) =>
    withWallet(accountOf('account', [], [CID]), { ...locked.wallet, policy } as AccountWallet)

  beforeAll(async () => {
    await documents.store(immutable)
    await documents.store(evil)
  })

  it('locks the key of a wallet that was created with it', async () => {
    const { derivationPath } = locked.wallet
    expect(verifyMessage('greetings from us', await asked(locked.account, greeting))).toBe(
      locked.address,
    )
    expect(keyring.policyWalletKey(locked.account.hash, derivationPath, NO_LOCK)).not.toBe(
      locked.privateKey,
    )
  })

  it.each([
    ['that can change', recordOf(evil)],
    ['that is immutable', recordOf(evil, { isImmutable: true })],
    [
      'that was pending',
      recordOf(immutable, {
        pending: { hash: evil.hash, effectiveAt: CHAIN_TIME, changeDelay: 0, isImmutable: false },
      }),
    ],
  ])('replaced policy: the key does not exist under another policy %s', async (_what, policy) => {
    await expect(asked(under(policy), digest)).rejects.toThrow('the account has no wallet')
    const decrypt = { name: 'encrypt', pkpId: locked.address, message: '' } as const
    await expect(asked(under(policy), decrypt)).rejects.toThrow('the account has no wallet')
  })

  it('can be set for a wallet that was created with another one', async () => {
    const later = policyHolder('account', recordOf(immutable), [CID], NO_LOCK)
    const signature = await asked(later.account, { ...GREETING, pkpId } as KeyOperation)
    expect(verifyMessage('greetings from us', signature)).toBe(later.address)
  })
})

describe('a pending policy', () => {
  const later = policyFrom({ ...SPENDING, name: 'later', rules: SPENDING.rules.slice(0, 2) })
  const changing = (effectiveAt: number) =>
    policyHolder(
      'account',
      recordOf(POLICY, {
        pending: { hash: later.hash, effectiveAt, changeDelay: 0, isImmutable: false },
      }),
      [CID],
    ).account
  beforeAll(() => documents.store(later))

  it('holds from its time on, by the clock of the chain', async () => {
    const fast = { now: () => Date.parse('2099-01-01') }
    await asked(changing(CHAIN_TIME + 1), GREETING, fast)
    await expect(asked(changing(CHAIN_TIME), GREETING)).rejects.toThrow(
      'no rule allows requests of the kind message',
    )
  })
})

describe('fails closed', () => {
  /** An error of Postgres, which quotes values. */
  function refusedRow() {
    const detail = 'Key (pkp_id)=(0xsecret) already exists.'
    return Object.assign(new Error(`duplicate key ${detail}`), {
      name: 'error',
      code: '23505',
      detail,
    })
  }
  const refusedFor = async (other: PolicyHolder, changes?: Changes) => {
    const operation = { ...GREETING, pkpId: other.address } as KeyOperation
    const error = await asked(other.account, operation, changes).catch(
      (refused: unknown) => refused,
    )
    return error instanceof Error ? error.message : 'it was signed'
  }

  it('without the document of the policy', async () => {
    const unknown = policyFrom({ ...SPENDING, name: 'never stored' })
    const other = policyHolder('account', recordOf(unknown), [CID])
    logs.length = 0
    const reason = `the document of the policy ${unknown.hash} is not stored`
    expect(await refusedFor(other)).toBe(`signMessage: ${reason}`)
    expect(logs).toEqual([{ event: 'policies.unavailable', reason, cause: 'PolicyDocumentError' }])
  })

  it('swapped document: if the database has another document under the hash', async () => {
    const policy = policyFrom({ ...SPENDING, name: 'swapped' })
    const { hash } = policy
    await documents.store(policy)
    const document = policyFrom({
      version: 1,
      rules: [{ name: 'all', effect: 'allow', kind: 'message', messages: 'any' }],
    }).canonical
    await database.db.update(walletPolicies).set({ document }).where(eq(walletPolicies.hash, hash))
    const other = policyHolder('account', recordOf(policy), [CID])
    expect(await refusedFor(other)).toBe(
      `signMessage: the stored document is not that of the policy ${hash}`,
    )
  })

  it.each([
    ['another delay', { changeDelay: 60 }],
    ['another immutability', { isImmutable: true }],
  ])('if the contract records %s than the document', async (_what, changes) => {
    const other = policyHolder('account', recordOf(POLICY, changes), [CID])
    expect(await refusedFor(other)).toContain('are not those in the contract')
  })

  it('while the database does not respond', async () => {
    const away = await openFresh()
    const closed = new PolicyDocuments({ db: away.db, now: Date.now })
    await away.close()
    expect(await refusedFor(holder, { documents: closed })).toContain(
      'the database does not respond; try again later',
    )
  })

  it.each([
    [
      'a sum cannot be trusted',
      new SumsUnavailableError('the clocks differ by 61 s; correct them'),
      'the wallet’s policy cannot be checked, because the clocks differ by 61 s; correct them',
      'SumsUnavailableError',
    ],
    [
      'a query fails, without what the database says',
      new DatabaseUnavailableError({ cause: refusedRow() }),
      'the wallet’s policy cannot be checked, because the database does not respond; try again later',
      'DatabaseUnavailableError, caused by error 23505',
    ],
  ])('with the reason in the error and in the log if %s', async (_what, error, reason, cause) => {
    const sums = { reserve: () => Promise.reject(error), reservedUnder: async () => undefined }
    logs.length = 0
    const refused = await asked(holder.account, PAYMENT, { sums }).catch(String)
    expect(refused).toContain(`signTransaction: ${reason}`)
    expect(logs).toEqual([{ event: 'policies.unavailable', reason, cause }])
  })

  it('while the mirror is stale', async () => {
    const stale = () => {
      throw new ContractUnavailableError('its nodes do not respond')
    }
    expect(await refusedFor(holder, { current: stale })).toContain('its nodes do not respond')
    expect(await refusedFor(holder, { chainTime: stale })).toContain('its nodes do not respond')
  })
})

describe('changes while the database is waited for', () => {
  /** Documents that respond after `open`. */
  function slowDocuments() {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const load = async (hash: string) => {
      await gate
      return documents.load(hash)
    }
    return { documents: { cached: () => undefined, load }, open }
  }

  /** A ledger that reserves at once, and responds after `open`. */
  function slowSums() {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const sums = new MemorySums(() => NOW)
    const reserve: MemorySums['reserve'] = async (reservation) => {
      const result = await sums.reserve(reservation)
      await gate
      return result
    }
    const reservedUnder = () => sums.reservedUnder()
    return { sums: { reserve, reservedUnder }, spent: () => sums.spent(wallet.pkpId), open }
  }

  const without = { ...holder.account, wallets: new Map() }
  const tightened = policyHolder(
    'account',
    recordOf(policyFrom({ ...SPENDING, rules: SPENDING.rules.slice(1, 2) })),
    [CID],
  ).account

  it.each([
    ['revoked key', 'has been revoked', new Error('revoked')],
    ['emptied group', 'are not in the same group', { ...holder.account, groups: new Map() }],
    ['removed wallet', 'the account has no wallet', without],
    ['tightened policy', 'policy changed in the meantime', tightened],
  ] as const)(
    '%s: nothing is spent or signed while the document is loaded',
    async (_what, text, state) => {
      let account: Account | Error = holder.account
      const current = () => {
        if (account instanceof Error) throw account
        return account
      }
      const { open, ...slow } = slowDocuments()
      const sums = new MemorySums(() => NOW)
      const run = runOf(holder.account, { ...slow, sums, current })
      const refused = run.keyOperation(PAYMENT)
      account = state
      open()
      await expect(refused).rejects.toThrow(text)
      expect([sums.spent(wallet.pkpId), run.end()]).toEqual([0n, []])
    },
  )

  it.each([
    ['revoked key', 'has been revoked', new Error('revoked')],
    ['tightened policy', 'policy changed in the meantime', tightened],
  ] as const)(
    '%s: what was reserved is spent, and nothing is signed',
    async (_what, text, state) => {
      let account: Account | Error = holder.account
      const current = () => {
        if (account instanceof Error) throw account
        return account
      }
      const { open, spent, sums } = slowSums()
      const run = runOf(holder.account, { sums, current })
      const refused = run.keyOperation(PAYMENT)
      await expect.poll(spent).toBe(25_000_000n)
      account = state
      open()
      await expect(refused).rejects.toThrow(text)
      expect([spent(), run.end()]).toEqual([25_000_000n, []])
    },
  )

  it('ended run: what was reserved is spent, and no signature is created or returned', async () => {
    const { open, spent, sums } = slowSums()
    const run = runOf(holder.account, { sums })
    const refused = run.keyOperation(PAYMENT)
    await expect.poll(spent).toBe(25_000_000n)
    const signatures = run.end()
    open()
    await expect(refused).rejects.toThrow('signTransaction: the run has ended')
    expect([spent(), signatures]).toEqual([25_000_000n, []])
  })

  it('late signature: refuses every use of a wallet after the end of the run', async () => {
    const run = runOf(holder.account)
    run.end()
    for (const operation of [GREETING, { name: 'encrypt', pkpId, message: '' } as const])
      await expect(run.keyOperation(operation)).rejects.toThrow('the run has ended')
    expect(run.end()).toEqual([])
  })
})
