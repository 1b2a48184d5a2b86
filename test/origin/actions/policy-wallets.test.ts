import { randomBytes } from 'node:crypto'
import { Transaction, verifyMessage, verifyTypedData } from 'ethers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Account } from '../../../origin/accounts/account.ts'
import type { AccountsState } from '../../../origin/accounts/state.ts'
import { createActionPool } from '../../../origin/actions/pool.ts'
import type { ActionPool, Capability, KeyOperation } from '../../../origin/actions/run.ts'
import type { RunBudget } from '../../../origin/credits/run-meter.ts'
import { Keyring } from '../../../origin/keys/keyring.ts'
import { PolicyDocuments } from '../../../origin/policies/documents.ts'
import { PolicySigner } from '../../../origin/policies/policy-signer.ts'
import { ReceiptSigner } from '../../../origin/receipts/receipt-signer.ts'
import { capabilityFor } from '../../../origin/runs/capability.ts'
import { executeRun } from '../../../origin/runs/execute-run.ts'
import { importReceiptKey } from '../../../shared/client/verification/receipt-key.ts'
import { KEY_OPERATIONS_MAX } from '../../../shared/limits.ts'
import { verifyReceipt } from '../../../shared/receipts/receipt.ts'
import { PAYEE, THIEF, TRANSACTION, transfer, USDC } from '../../shared/policies/requests.ts'
import { openFresh } from '../db/fresh-database.ts'
import { leaksIn } from '../hostile/canary.ts'
import { leaksInExecutors } from '../hostile/executor-memory.ts'
import { DIRECT, HUNTING_PROGRAMS, WAY_OUT_NAMES } from '../hostile/key-hunt.ts'
import {
  MemorySums,
  ORDER,
  policyFrom,
  policyHolder,
  recordOf,
  SPENDING,
} from '../policies/policy-holder.ts'
import { accountOf, addressOf, keyring } from '../runs/wallet-holder.ts'
import { keptTemplate } from './kept-template.ts'
import { nodeInAction } from './node-in-action.ts'
import { failed, request, returned } from './sandbox.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const POLICY = policyFrom(SPENDING)
const holder = policyHolder('account', recordOf(POLICY), [CID])
const pkpId = holder.address

/** Allows every signature, so that only the key itself is out of reach. */
const EVERYTHING = policyFrom({
  version: 1,
  rules: [
    { name: 'messages', effect: 'allow', kind: 'message', messages: 'any', binary: true },
    { name: 'digests', effect: 'allow', kind: 'digest' },
    {
      name: 'data',
      effect: 'allow',
      kind: 'typed_data',
      chains: 'any',
      chainless_domain: true,
      domains: 'any',
      types: 'any',
    },
  ],
})
const hunted = policyHolder('hunted account', recordOf(EVERYTHING), [CID])

let database: Awaited<ReturnType<typeof openFresh>>
let documents: PolicyDocuments
let pool: ActionPool
beforeAll(async () => {
  database = await openFresh()
  documents = new PolicyDocuments({ db: database.db, now: Date.now })
  for (const policy of [POLICY, EVERYTHING]) await documents.store(policy)
  pool = createActionPool({ template: keptTemplate(), min: 2, max: 2 })
  await pool.ready()
})
afterAll(async () => {
  await pool.close()
  await database.close()
})

const signerWith = (sums = new MemorySums()) =>
  new PolicySigner({
    keyring,
    documents,
    sums,
    chainTime: () => 2_000,
    now: Date.now,
    log: () => {},
  })

const capabilityOf = (account: Account) =>
  capabilityFor(keyring, CID, () => ({ account, keyHash: account.hash }), signerWith())

const run = (code: string, params: object, capability: Capability = capabilityOf(holder.account)) =>
  pool.run(request(code, { params: JSON.stringify({ pkpId, ...params }) }), capability)

async function value(code: string, params: object = {}): Promise<unknown> {
  return JSON.parse(returned(await run(code, params)).value)
}

describe('the ethers v5 signer of an action', () => {
  it('pays with a token’s contract, as the policy allows', async () => {
    const [raw, ...others] = (await value(
      `${nodeInAction(1)}
      async function main({ pkpId, token, payee }) {
        const provider = new ethers.providers.JsonRpcProvider('https://node.example', 1)
        const wallet = Svc.Actions.wallet({ pkpId }).connect(provider)
        const abi = ['function transfer(address to, uint256 amount) returns (bool)']
        const fees = { maxFeePerGas: ethers.utils.parseUnits('30', 'gwei'), maxPriorityFeePerGas: 1 }
        const amount = ethers.utils.parseUnits('25', 6)
        await new ethers.Contract(token, abi, wallet).transfer(payee, amount, fees)
        return sent
      }`,
      { token: USDC, payee: PAYEE },
    )) as string[]
    const signed = Transaction.from(raw)
    expect([signed.from, signed.to, signed.data]).toEqual([
      pkpId,
      USDC,
      transfer(PAYEE, 25_000_000n),
    ])
    expect([signed.type, signed.nonce, signed.chainId, signed.gasLimit]).toEqual([
      2,
      7,
      1n,
      21_000n,
    ])
    expect(others).toEqual([])
  })

  it('signs typed data with BigNumbers, and messages', async () => {
    const [order, greeting] = (await value(
      `async function main({ pkpId, domain, types, payee }) {
        const wallet = Svc.Actions.wallet({ pkpId })
        const id = ethers.BigNumber.from(7)
        return [await wallet._signTypedData(domain, types, { id, to: payee }), await wallet.signMessage('greetings to you')]
      }`,
      { ...ORDER, payee: PAYEE },
    )) as [string, string]
    expect(verifyTypedData(ORDER.domain, ORDER.types, { id: 7, to: PAYEE }, order)).toBe(pkpId)
    expect(verifyMessage('greetings to you', greeting)).toBe(pkpId)
  })

  it('throws the explanation of a denial', async () => {
    const code = `async function main({ pkpId, transaction }) {
      await Svc.Actions.wallet({ pkpId }).signTransaction(transaction)
    }`
    const transaction = { ...TRANSACTION, data: transfer(THIEF, 25_000_000n) }
    const { code: failure, message } = failed(await run(code, { transaction }))
    expect(failure).toBe('action_threw')
    expect(message).toMatch(
      /^signTransaction: Denied: the rule "pay" does not allow it, because to is 0x90f7\w+, which is not in the rule.s list\. Sends 25 \(25000000 units\) of USDC to 0x90f7/,
    )
  })
})

describe('a request that changes after it was checked', () => {
  /** Signs a transaction whose recipient differs between reads, and returns what was signed or the error. */
  const CHANGING = `async function main({ pkpId, transaction, first, later }) {
    let reads = 0
    const changing = () => (reads++ === 0 ? first : later)
    const evil = { ...transaction, data: later }
    const forms = [
      Object.defineProperty({ ...transaction }, 'data', { get: changing, enumerable: true }),
      new Proxy({ ...transaction }, { get: (target, name) => (name === 'data' ? changing() : target[name]) }),
      Object.assign(Object.create({ toJSON: () => evil, valueOf: () => evil }), transaction, { data: first }),
    ]
    for (const Class of [Object, String, Array]) Class.prototype.toJSON = () => evil
    const signed = []
    for (const form of forms) {
      reads = 0
      signed.push(await Svc.Actions.signTransaction({ pkpId, transaction: form }).catch((error) => error.message))
    }
    for (const Class of [Object, String, Array]) delete Class.prototype.toJSON
    return signed
  }`
  const [allowed, stolen] = [transfer(PAYEE, 1_000n), transfer(THIEF, 1_000n)]

  it('getters, proxies and toJSON: what was checked is signed', async () => {
    const params = { transaction: TRANSACTION, first: allowed, later: stolen }
    const signed = (await value(CHANGING, params)) as string[]
    expect(signed.map((each) => Transaction.from(each).data)).toEqual(Array(3).fill(allowed))
  })

  it('getters, proxies and toJSON: what was read first is checked', async () => {
    const params = { transaction: TRANSACTION, first: stolen, later: allowed }
    const refused = (await value(CHANGING, params)) as string[]
    expect(refused).toEqual(Array(3).fill(expect.stringContaining('Denied: the rule "pay"')))
  })
})

describe('the receipt of a run', () => {
  const receiptKey = new Keyring(randomBytes(32)).receiptKey()
  const composeHash = 'c0'.repeat(32)
  const build = { version: '1.0.0', commit: 'ab'.repeat(20) }
  const receipts = new ReceiptSigner({ key: receiptKey, composeHash, build, now: Date.now })

  async function executed(code: string, runIn: Pick<ActionPool, 'run'> = pool) {
    const { account } = holder
    const principal = { account, keyHash: account.hash }
    const options = {
      pool: runIn as ActionPool,
      keyring,
      mirror: { current: () => ({ principal: () => principal }) as unknown as AccountsState },
      limits: { wallMs: 25_000, cpuMs: 25_000 },
      receipts,
      policySigner: signerWith(),
      keyLimits: { requireUnexpired: () => {} },
      log: () => {},
    }
    const parts = { settle: vi.fn(), release: vi.fn(), prepare: vi.fn(), finish: vi.fn() }
    const budget = { reservation: { cents: 1, ...parts }, allowance: parts } as unknown as RunBudget
    const params = JSON.stringify({ pkpId, transaction: TRANSACTION })
    const outcome = await executeRun(options, { principal, code, params }, { cid: CID, budget })
    const verified = async (text: string) =>
      verifyReceipt(text, await importReceiptKey(receiptKey.publicKey))
    return { outcome, receipt: outcome.receipt ? await verified(outcome.receipt) : undefined }
  }

  const SIGN = 'const signed = await Svc.Actions.signTransaction({ pkpId, transaction })'
  const payment = {
    wallet: pkpId,
    digest: Transaction.from(TRANSACTION).unsignedHash,
    policy_hash: POLICY.hash,
    rule: 'pay',
    sums: [{ key: `USDC a day/1/${USDC.toLowerCase()}`, remaining: '75000000', max: '100000000' }],
  }

  it('names the signatures of wallets with a policy, in a run that returned', async () => {
    const { outcome, receipt } = await executed(
      `async function main({ pkpId, transaction }) { ${SIGN}; return signed }`,
    )
    expect(outcome.status).toBe('success')
    expect(receipt).toMatchObject({ status: 'success', signatures: [payment] })
  })

  it('names them in a run that failed', async () => {
    const { receipt } = await executed(
      `async function main({ pkpId, transaction }) { ${SIGN}; throw new Error('no') }`,
    )
    expect(receipt).toMatchObject({ error_code: 'action_threw', signatures: [payment] })
  })

  it('has no signatures if nothing was signed under a policy', async () => {
    const { receipt } = await executed('async function main() { return 1 }')
    expect(receipt).not.toHaveProperty('signatures')
  })

  it('has at most as many as key operations', async () => {
    const { receipt } = await executed(
      `async function main({ pkpId }) {
        for (;;) await Svc.Actions.signMessage({ pkpId, message: 'greetings again' })
      }`,
    )
    expect(receipt).toMatchObject({ error_code: 'key_operation_limit' })
    expect(receipt?.signatures).toHaveLength(KEY_OPERATIONS_MAX)
  })

  it('does not exist for a lost run', async () => {
    const greeting = `0x${Buffer.from('greetings').toString('hex')}20`
    const lost: ActionPool['run'] = async (_request, capability, control) => {
      control?.started()
      await capability.keyOperation({ name: 'signMessage', pkpId, message: greeting })
      return { kind: 'lost', reason: 'the executor exited', started: true }
    }
    const { outcome } = await executed('', { run: lost })
    expect(outcome).toMatchObject({ status: 'failed', code: 'origin_lost' })
    expect(outcome.receipt).toBeUndefined()
  })
})

describe(`${HUNTING_PROGRAMS.length} programs that hunt for the key of a wallet`, () => {
  /** Returns everything that a program's outcome, log and key operations contain. */
  async function traceOf(code: string, account: Account, wallet: string): Promise<string> {
    const seen: string[] = []
    const capability = capabilityOf(account)
    const recording: Capability = {
      keyOperation: async (operation: KeyOperation) => {
        seen.push(JSON.stringify(operation))
        const result = await capability.keyOperation(operation).catch((error: unknown) => {
          seen.push(String(error))
          throw error
        })
        seen.push(result)
        return result
      },
    }
    const result = await run(code, { pkpId: wallet }, recording)
    return JSON.stringify([result, seen])
  }

  it('get 0 bytes of the key of a wallet with a policy', async () => {
    const traces = await Promise.all(
      HUNTING_PROGRAMS.map(async ({ name, code }) => {
        const trace = await traceOf(code, hunted.account, hunted.address)
        return { name, leaks: leaksIn(trace, hunted.privateKey), trace }
      }),
    )
    expect(traces.filter(({ leaks }) => leaks.length > 0)).toEqual([])
    // A program with a mistake of its own would find nothing either.
    const broken = /SyntaxError|ReferenceError|is not a function|Cannot read/
    expect(traces.filter(({ trace }) => broken.test(trace)).map(({ name }) => name)).toEqual([])
    expect(HUNTING_PROGRAMS).toHaveLength(200)
    if (process.platform === 'linux') expect(leaksInExecutors(hunted.privateKey)).toEqual([])
  })

  it('get the key of a wallet without a policy, in every way out', async () => {
    const plain = accountOf('plain account', ['permitted'], [CID])
    const address = addressOf(plain.hash, 'permitted')
    const key = await capabilityOf(plain).keyOperation({ name: 'getPrivateKey', pkpId: address })
    const direct = HUNTING_PROGRAMS.filter(({ source }) => source === DIRECT)
    // Without the host's response, which contains the key in any case.
    const outputs = await Promise.all(
      direct.map(async ({ name, code }) => {
        const trace = await traceOf(code, plain, address)
        const [result, seen] = JSON.parse(trace) as [unknown, string[]]
        return {
          name,
          leaks: leaksIn(JSON.stringify([result, seen.filter((each) => each !== key)]), key),
        }
      }),
    )
    expect(outputs.filter(({ leaks }) => leaks.length === 0)).toEqual([])
    expect(outputs).toHaveLength(WAY_OUT_NAMES.length)
  })
})
