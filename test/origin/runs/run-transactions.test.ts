import { Transaction } from 'ethers'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../origin/accounts/account.ts'
import type { KeyOperation } from '../../../origin/actions/run.ts'
import { DatabaseUnavailableError } from '../../../origin/db/database-unavailable.ts'
import { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { IDEMPOTENCY_KEY_MAX } from '../../../shared/limits.ts'
import type { TransactionRecord } from '../../../shared/wire/transactions.ts'
import { MemorySums, policyFrom, policyHolder, recordOf } from '../policies/policy-holder.ts'
import { CHAIN_ID, RecordingService } from '../transactions/recording-service.ts'
import { PAYEE, PAYROLL, TRANSACTION } from '../../shared/policies/requests.ts'
import { accountOf, addressOf, keyring, pkpIdOf } from './wallet-holder.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const OTHER_CID = 'QmNecXLe3tMEdoo992NpHrcXwtbvieS1KhNmrv2iE2VBBN'
const ACCOUNT = accountOf('account', ['permitted', 'outside'], [CID])
const pkpId = addressOf(ACCOUNT.hash, 'permitted')
const outside = addressOf(ACCOUNT.hash, 'outside')
const PAYMENT = { pkpId, chain: 'base', to: PAYEE, value: '1000' }

let service: RecordingService
beforeEach(() => {
  service = new RecordingService()
})

type Options = { runId?: string; current?: () => Account; cid?: string; signer?: PolicySigner }

/** The capability of one run with the account key. */
function runOf({ runId, current = () => ACCOUNT, cid = CID, signer }: Options = {}) {
  const principal = () => ({ account: current(), keyHash: ACCOUNT.hash })
  const run = capabilityFor(keyring, cid, principal, signer, { service, runId })
  const asked = async (operation: KeyOperation) =>
    JSON.parse(await run.keyOperation(operation)) as TransactionRecord
  return {
    ...run,
    send: (input: object) =>
      asked({ name: 'sendTransaction', request: JSON.stringify({ ...PAYMENT, ...input }) }),
    read: (id: string, wait: { waitFor?: 'mined' | 'final'; timeoutMs?: number } = {}) =>
      asked({ name: 'transaction', id, ...wait }),
  }
}

describe('sendTransaction', () => {
  it('queues a transaction with its action, run and step', async () => {
    const run = runOf({ runId: 'run' })
    const record = await run.send({})
    expect(record).toMatchObject({ state: 'queued', to: PAYEE.toLowerCase(), value: '1000' })
    await run.send({ value: '2000' })
    expect(service.requests.map(({ origin }) => origin)).toEqual([
      {
        principal: { account: ACCOUNT, keyHash: ACCOUNT.hash },
        actionCid: CID,
        runId: 'run',
        step: 0,
      },
      { principal: expect.anything(), actionCid: CID, runId: 'run', step: 1 },
    ])
  })

  it('crashed run: the same calls of the repeated run are the same transactions', async () => {
    const ids = async () => {
      const run = runOf({ runId: 'run' })
      return [(await run.send({})).id, (await run.send({})).id]
    }
    const [first, second] = await ids()
    expect(first).not.toBe(second)
    expect(await ids()).toEqual([first, second])
    const other = runOf({ runId: 'run' })
    await expect(other.send({ value: '1' })).rejects.toThrow(
      `sendTransaction: this call of the run, or its idempotencyKey, has sent another transaction before, ${first}; read it with Svc.Actions.transaction, or send this one with another idempotencyKey`,
    )
  })

  it('counts calls that are refused as steps, so that the steps of later calls do not shift', async () => {
    const run = runOf({ runId: 'run' })
    await expect(run.send({ to: null })).rejects.toThrow('sendTransaction: to: missing')
    await run.send({})
    expect(service.requests[0]!.origin.step).toBe(1)
  })

  it('with an idempotency key is the same transaction in every run of the action', async () => {
    const idempotencyKey = 'event 7'
    const { id } = await runOf({ runId: 'one' }).send({ idempotencyKey })
    expect((await runOf({ runId: 'two' }).send({ idempotencyKey })).id).toBe(id)
    expect((await runOf().send({ idempotencyKey })).id).toBe(id)
    expect((await runOf().send({})).id).not.toBe((await runOf().send({})).id)
  })

  it.each([
    ['no text', 7],
    ['an empty text', ''],
    ['a long text', 'x'.repeat(IDEMPOTENCY_KEY_MAX + 1)],
    ['a text that is not ASCII', 'é'],
  ])('refuses an idempotency key that is %s', async (_what, idempotencyKey) => {
    await expect(runOf().send({ idempotencyKey })).rejects.toThrow(
      'sendTransaction: idempotencyKey: expected 1 to 255 printable ASCII characters',
    )
  })

  it.each([
    ['no JSON', '{'],
    ['an array', '[]'],
    ['null', 'null'],
  ])('compromised executor: %s is refused', async (_what, request) => {
    const refused = runOf().keyOperation({ name: 'sendTransaction', request })
    await expect(refused).rejects.toThrow('sendTransaction: request: expected an object')
    expect(service.requests).toEqual([])
  })

  it.each([
    ['wallet outside the group', { pkpId: outside }, {}, 'are not in the same group'],
    ['action outside the group', {}, { cid: OTHER_CID }, 'are not in the same group'],
    ['wallet of another account', { pkpId: PAYEE }, {}, 'the account has no wallet'],
    [
      'revoked key',
      {},
      {
        current: () => {
          throw new Error('revoked')
        },
      },
      'has been revoked',
    ],
  ] satisfies [string, object, Options, string][])(
    '%s: queues nothing',
    async (_what, input, options, message) => {
      const refused = runOf(options).send(input)
      await expect(refused).rejects.toThrow(/^sendTransaction: /)
      await expect(refused).rejects.toThrow(message)
      expect(service.requests).toEqual([])
    },
  )

  it('ended run: queues nothing', async () => {
    const run = runOf()
    run.end()
    await expect(run.send({})).rejects.toThrow('sendTransaction: the run has ended')
    expect(service.requests).toEqual([])
  })

  it('names the known chains, and says that the database does not respond', async () => {
    await expect(runOf().send({ chain: 'bas' })).rejects.toThrow(
      'sendTransaction: unknown chain "bas"; known chains: base (8453)',
    )
    service.gate = Promise.reject(new DatabaseUnavailableError())
    await expect(runOf().send({})).rejects.toThrow('sendTransaction: the database does not respond')
  })
})

describe('transaction', () => {
  it('returns the current state', async () => {
    const { id } = await runOf().send({})
    service.change(id, { state: 'mined' })
    expect(await runOf().read(id)).toMatchObject({ id, state: 'mined' })
  })

  it('refuses an ID in another form, and one that does not exist', async () => {
    const run = runOf()
    await expect(run.read('tx_1')).rejects.toThrow('transaction: id must be tx_ and 32 hex digits')
    const unknown = `tx_${'0'.repeat(32)}`
    await expect(run.read(unknown)).rejects.toThrow(`the account has no transaction ${unknown}`)
  })

  it('foreign transaction: refuses one of another account, and of a wallet that the run may not use', async () => {
    const other = accountOf('another account', ['permitted'], [CID])
    const wallet = addressOf(other.hash, 'permitted')
    const { id } = await runOf({ current: () => other }).send({ pkpId: wallet })
    await expect(runOf().read(id)).rejects.toThrow('the account has no transaction')
    const owned = await service.send(
      { pkpId: pkpIdOf(ACCOUNT.hash, 'outside'), chain: 'base', to: PAYEE, data: '0x', value: 0n },
      { principal: { account: ACCOUNT, keyHash: ACCOUNT.hash }, actionCid: OTHER_CID },
    )
    await expect(runOf().read(owned.id)).rejects.toThrow('are not in the same group')
  })

  it('waits for a state, at most the given time', async () => {
    const { id } = await runOf().send({})
    const waiting = runOf().read(id, { waitFor: 'mined', timeoutMs: 20 })
    service.change(id, { state: 'broadcast' })
    expect(await waiting).toMatchObject({ state: 'broadcast' })
  })

  it('ends its wait with the run', async () => {
    const run = runOf()
    const { id } = await run.send({})
    const waiting = run.read(id, { waitFor: 'final', timeoutMs: 900_000 })
    await expect.poll(() => service.waits.size).toBe(1)
    run.end()
    await expect(waiting).rejects.toThrow('transaction: the run has ended')
    expect(service.waits.size).toBe(0)
  })

  it('revoked key: a wait returns nothing', async () => {
    let account: Account | undefined = ACCOUNT
    const current = () => {
      if (!account) throw new Error('revoked')
      return account
    }
    const run = runOf({ current })
    const { id } = await run.send({})
    const waiting = run.read(id, { waitFor: 'final', timeoutMs: 50 })
    await expect.poll(() => service.waits.size).toBe(1)
    account = undefined
    await expect(waiting).rejects.toThrow('has been revoked')
  })
})

describe('the transactions of a run for its receipt', () => {
  it('have the state and hash that the run last saw', async () => {
    const run = runOf()
    const [first, second] = [await run.send({}), await run.send({ value: '1' })]
    const hash = `0x${'ab'.repeat(32)}`
    const attempt = {
      hash,
      kind: 'send' as const,
      nonce: 0,
      max_fee_per_gas: '1',
      max_priority_fee_per_gas: '1',
      created_at: first.created_at,
    }
    service.change(first.id, { state: 'broadcast', attempts: [attempt] })
    await run.read(first.id)
    service.change(first.id, { state: 'mined' })
    run.end()
    const common = { wallet: pkpId, chain_id: CHAIN_ID }
    expect(await run.transactions()).toEqual([
      { id: first.id, ...common, state: 'broadcast', hash },
      { id: second.id, ...common, state: 'queued' },
    ])
  })

  it('are not those that the run only read', async () => {
    const { id } = await runOf().send({})
    const run = runOf()
    await run.read(id)
    run.end()
    expect(await run.transactions()).toEqual([])
  })

  it('hidden transaction: one that is being stored when the run ends is listed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    service.gate = promise
    const run = runOf()
    const sent = run.send({})
    await expect.poll(() => service.requests.length).toBe(1)
    run.end()
    const listed = run.transactions()
    resolve()
    const { id } = await sent
    expect(await listed).toMatchObject([{ id }])
  })
})

describe('signTransaction while the service sends transactions of the wallet', () => {
  const signing = (wallet: string, chainId: number): KeyOperation => ({
    name: 'signTransaction',
    pkpId: wallet,
    transaction: JSON.stringify({ ...TRANSACTION, chainId }),
  })
  const policy = policyFrom(PAYROLL)
  const holder = policyHolder('policies', recordOf(policy), [CID])
  const sums = new MemorySums()
  const signer = new PolicySigner({
    keyring,
    documents: { cached: () => policy, load: async () => policy },
    sums,
    chainTime: () => 2_000,
    now: Date.now,
    log: () => {},
  })
  const wallets = [
    ['plain', pkpId, {}],
    ['policy', holder.address, { current: () => holder.account, signer }],
  ] satisfies [string, string, Options][]

  it.each(wallets)('nonce theft: is refused for a %s wallet', async (_kind, address, options) => {
    service.open.add(`1/${address.toLowerCase()}`)
    const spent = sums.spent(holder.wallet.pkpId)
    await expect(runOf(options).keyOperation(signing(address, 1))).rejects.toThrow(
      `signTransaction: the wallet ${address} has open transactions on the chain 1, whose nonces another transaction could use; send it with Svc.Actions.sendTransaction`,
    )
    expect(sums.spent(holder.wallet.pkpId)).toBe(spent)
  })

  /** Valid on every chain, as before EIP-155. */
  const legacy = (wallet: string): KeyOperation => {
    const { to, data, nonce, gasLimit } = TRANSACTION
    const transaction = { type: 0, to, data, nonce, gasLimit, gasPrice: '1' }
    return {
      name: 'signTransaction',
      pkpId: wallet,
      transaction: JSON.stringify(transaction),
    }
  }

  it('nonce theft: is refused without a chain ID while a transaction is open on any chain', async () => {
    service.open.add(`8453/${pkpId.toLowerCase()}`)
    await expect(runOf().keyOperation(legacy(pkpId))).rejects.toThrow(
      `signTransaction: the wallet ${pkpId} has open transactions on a chain, and a transaction without chainId is valid on each`,
    )
    service.open.clear()
    const raw = await runOf().keyOperation(legacy(pkpId))
    expect(Transaction.from(raw)).toMatchObject({ from: pkpId, chainId: 0n })
  })

  it('nonce theft: a wallet with a policy signs nothing without a chain ID', async () => {
    const [, address, options] = wallets[1]!
    await expect(runOf(options).keyOperation(legacy(address))).rejects.toThrow('name one chain')
  })

  it.each(wallets)(
    'is allowed on other chains for a %s wallet',
    async (_kind, address, options) => {
      service.open.add(`8453/${address.toLowerCase()}`)
      const raw = await runOf(options).keyOperation(signing(address, 1))
      expect(Transaction.from(raw).from).toBe(address)
    },
  )

  it.each(wallets)(
    'is refused for a %s wallet while the database does not respond',
    async (_kind, address, options) => {
      service.gate = Promise.reject(new DatabaseUnavailableError())
      const refused = runOf(options).keyOperation(signing(address, 1))
      await expect(refused).rejects.toThrow('signTransaction: the database does not respond')
    },
  )

  it.each(wallets)(
    'emptied group: signs nothing with a %s wallet after the database was waited for',
    async (_kind, address, options) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      service.gate = promise
      const before = (options as Options).current?.() ?? ACCOUNT
      let account: Account = before
      const run = runOf({ ...options, current: () => account })
      const refused = run.keyOperation(signing(address, 1))
      account = { ...before, groups: new Map() }
      resolve()
      await expect(refused).rejects.toThrow('are not in the same group')
    },
  )

  it('does not affect messages', async () => {
    service.open.add(`1/${pkpId.toLowerCase()}`)
    const message: KeyOperation = { name: 'signMessage', pkpId, message: '0x00' }
    expect(await runOf().keyOperation(message)).toMatch(/^0x/)
  })
})
