/**
 * Measures signing under a policy with a sum, with the real permission checks: whole runs against runs that sign without
 * a wallet (`sign_p50_ms` of the bench `actions`), and the signature alone against that of a wallet without a policy. Both
 * of a pair are measured in the same round.
 */
import { createActionPool } from '../../origin/actions/pool.ts'
import type { Database } from '../../origin/db/open.ts'
import { PolicyDocuments } from '../../origin/policies/documents.ts'
import { PolicySigner } from '../../origin/policies/policy-signer.ts'
import { PolicySums } from '../../origin/policies/sums/policy-sums.ts'
import { capabilityFor } from '../../origin/runs/capability.ts'
import { policyFrom, policyHolder, recordOf, withWallet } from '../origin/policies/policy-holder.ts'
import { accountOf, addressOf, keyring } from '../origin/runs/wallet-holder.ts'
import { PAYEE, PAYROLL, TRANSACTION, transfer } from '../shared/policies/requests.ts'
import { SIGN } from './actions.ts'
import { median, report } from './report.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const WARM_UP = 300
const RUNS = 2_000

/** Runs that sign once. */
const GREET = `
  async function main({ pkpId, transaction }) {
    return Svc.Actions.signMessage({ pkpId, message: 'hello ' + transaction.nonce })
  }`
const PAY = `
  async function main({ pkpId, transaction }) {
    return Svc.Actions.signTransaction({ pkpId, transaction })
  }`

/** Signatures of each kind in a run, because the clock of an action has a resolution of 0.1 ms. */
const REPEATS = 4

/** Returns milliseconds for a signature. Each signature has another nonce, because a digest is charged only once. */
const CODE = `
  async function main({ plain, limited, limitedFirst, transaction, repeats }) {
    const timed = async (pkpId) => {
      const begin = performance.now()
      for (let n = 0; n < repeats; n++)
        await Svc.Actions.signTransaction({ pkpId, transaction: { ...transaction, nonce: transaction.nonce + n } })
      return (performance.now() - begin) / repeats
    }
    const first = await timed(limitedFirst ? limited : plain)
    const second = await timed(limitedFirst ? plain : limited)
    return limitedFirst ? [first, second] : [second, first]
  }`

export async function measurePolicySigning(db: Database): Promise<void> {
  const documents = new PolicyDocuments({ db, now: Date.now })
  const sums = new PolicySums({
    db,
    now: Date.now,
    monotonic: () => performance.now(),
    log: () => {},
  })
  const policy = policyFrom({
    ...PAYROLL,
    sums: [
      ...PAYROLL.sums,
      { name: 'greetings', of: 'signatures', window_s: 86_400, max: '1000000' },
    ],
    rules: [
      ...PAYROLL.rules,
      { name: 'greet', effect: 'allow', kind: 'message', messages: 'any', sums: ['greetings'] },
    ],
  })
  await documents.store(policy)
  const signer = new PolicySigner({
    keyring,
    documents,
    sums,
    chainTime: () => 2_000,
    now: Date.now,
    log: () => {},
  })
  const plainAccount = accountOf('bench', ['plain'], [CID])
  // Sums of a new database are trusted only for policies that were set after its creation.
  const record = recordOf(policy, { setAt: Math.ceil(Date.now() / 1_000) + 60 })
  const { wallet, address: limited } = policyHolder('bench', record, [CID])
  const account = withWallet(plainAccount, wallet)
  const current = () => ({ account, keyHash: account.hash })
  const pool = createActionPool({ min: 1, max: 1 })
  await pool.ready()

  let nonce = 0
  const transfers = { ...TRANSACTION, data: transfer(PAYEE, 1n) }
  const run = async (code: string, params: (transaction: object) => object) => {
    const transaction = { ...transfers, nonce }
    nonce += REPEATS
    const given = { code, params: JSON.stringify(params(transaction)) }
    const limits = { wallMs: 10_000, cpuMs: 10_000 }
    const capability = capabilityFor(keyring, CID, current, signer)
    const began = performance.now()
    const result = await pool.run({ account: 'bench', ...given, ...limits }, capability)
    if (result.kind !== 'returned') throw new Error(`a run failed: ${JSON.stringify(result)}`)
    return { ms: performance.now() - began, value: result.value }
  }
  const signed = async (code: string) =>
    (await run(code, (transaction) => ({ pkpId: limited, transaction }))).ms
  const wholeRuns = async (): Promise<[number, number, number]> => [
    await signed(SIGN),
    await signed(GREET),
    await signed(PAY),
  ]
  const wallets = { plain: addressOf(account.hash, 'plain'), limited, repeats: REPEATS }
  const signatures = async (at: number): Promise<Pair> => {
    const limitedFirst = at % 2 === 0
    const { value } = await run(CODE, (transaction) => ({ ...wallets, limitedFirst, transaction }))
    return JSON.parse(value) as Pair
  }
  const runTimes = await repeated(wholeRuns)
  const signatureTimes = await repeated(signatures)
  await pool.close()

  compare(
    'sign_with_policy_p50_ms',
    runTimes.map(([sign, greet]) => [greet, sign]),
  )
  compare(
    'pay_with_policy_p50_ms',
    runTimes.map(([sign, , pay]) => [pay, sign]),
  )
  compare('signature_with_policy_p50_ms', signatureTimes)
}

type Pair = [measured: number, baseline: number]

async function repeated<Times>(measure: (at: number) => Promise<Times>): Promise<Times[]> {
  for (let at = 0; at < WARM_UP; at++) await measure(at)
  const times: Times[] = []
  for (let at = 0; at < RUNS; at++) times.push(await measure(at))
  return times
}

function compare(metric: string, times: readonly Pair[]): void {
  const value = median(times.map(([ms]) => ms))
  const baseline = median(times.map(([, ms]) => ms))
  report({ bench: 'policies', metric, value, unit: 'ms', baseline, ratio: value / baseline })
}
