/**
 * Measures a signature of a wallet with a policy against one of a wallet without, both within the same run, of the same
 * transfer of tokens, and with the real permission checks.
 */
import { createActionPool } from '../../origin/actions/pool.ts'
import { PolicyDocuments } from '../../origin/policies/documents.ts'
import { PolicySigner } from '../../origin/policies/policy-signer.ts'
import { PolicySums } from '../../origin/policies/sums/policy-sums.ts'
import { capabilityFor } from '../../origin/runs/capability.ts'
import { openFresh } from '../origin/db/fresh-database.ts'
import { policyFrom, policyHolder, recordOf, withWallet } from '../origin/policies/policy-holder.ts'
import { accountOf, addressOf, keyring } from '../origin/runs/wallet-holder.ts'
import { PAYEE, PAYROLL, TRANSACTION, transfer } from '../shared/policies/requests.ts'
import { percentile, report } from './report.ts'

const CID = 'QmZsbmDzq494Wc1Yeszc98zS5R9PqNthCLyjAwPbRe7ZCD'
const WARM_UP = 300
const RUNS = 2_000
/** Signatures of each kind in a run, because the clock of an action has a resolution of 0.1 ms. */
const REPEATS = 4

/** Returns milliseconds for a signature. Each signature has another nonce, because a digest is charged only once. */
const CODE = `
  async function main({ plain, limited, limitedFirst, transaction, repeats, nonce }) {
    const timed = async (pkpId) => {
      const begin = performance.now()
      for (let n = 0; n < repeats; n++)
        await Svc.Actions.signTransaction({ pkpId, transaction: { ...transaction, nonce: nonce + n } })
      return (performance.now() - begin) / repeats
    }
    const first = await timed(limitedFirst ? limited : plain)
    const second = await timed(limitedFirst ? plain : limited)
    return limitedFirst ? [first, second] : [second, first]
  }`

export async function measurePolicySigning(): Promise<void> {
  const { db, close } = await openFresh()
  const documents = new PolicyDocuments({ db, now: Date.now })
  const sums = new PolicySums({
    db,
    now: Date.now,
    monotonic: () => performance.now(),
    log: () => {},
  })
  const policy = policyFrom(PAYROLL)
  await documents.store(policy)
  const signer = new PolicySigner({
    keyring,
    documents,
    sums,
    chainTime: () => 2_000,
    now: Date.now,
  })
  const plainAccount = accountOf('bench', ['plain'], [CID])
  // Sums of a new database are trusted only for policies that were set after its creation.
  const record = recordOf(policy, { setAt: Math.ceil(Date.now() / 1_000) + 60 })
  const { wallet, address: limited } = policyHolder('bench', record, [CID])
  const account = withWallet(plainAccount, wallet)
  const current = () => ({ account, keyHash: account.hash })
  const pool = createActionPool({ min: 1, max: 1 })
  await pool.ready()

  const transaction = { ...TRANSACTION, data: transfer(PAYEE, 1n) }
  const wallets = { plain: addressOf(account.hash, 'plain'), limited }
  const run = async (at: number) => {
    const params = { ...wallets, limitedFirst: at % 2 === 0, transaction, repeats: REPEATS }
    const limits = { wallMs: 10_000, cpuMs: 10_000 }
    const given = { code: CODE, params: JSON.stringify({ ...params, nonce: at * REPEATS }) }
    const capability = capabilityFor(keyring, CID, current, signer)
    const result = await pool.run({ account: 'bench', ...given, ...limits }, capability)
    if (result.kind !== 'returned') throw new Error(`a run failed: ${JSON.stringify(result)}`)
    return JSON.parse(result.value) as [limited: number, plain: number]
  }
  for (let at = 0; at < WARM_UP; at++) await run(at)
  const times: [number, number][] = []
  for (let at = WARM_UP; at < WARM_UP + RUNS; at++) times.push(await run(at))
  await pool.close()
  await close()

  const value = percentile(
    times.map(([ms]) => ms),
    0.5,
  )
  const baseline = percentile(
    times.map(([, ms]) => ms),
    0.5,
  )
  report({
    bench: 'policies',
    metric: sums ? 'sign_with_sums_p50_ms' : 'sign_with_policy_p50_ms',
    value,
    unit: 'ms',
    baseline,
    ratio: value / baseline,
  })
}
