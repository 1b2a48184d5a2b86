/**
 * Measures the check of a request against a policy of 20 rules, of which the last one allows it, compared with ethers
 * decoding the calldata alone; adding a charge to its sum; reserving sums in the database (`policy-sums.ts`); and a
 * signature under a policy (`policies-signing.ts`).
 */
import { Interface } from 'ethers'
import { openDatabase } from '../../origin/db/open.ts'
import { evaluate } from '../../shared/policies/evaluate.ts'
import { parsePolicy } from '../../shared/policies/policy.ts'
import { reserveCharges, type SumStates } from '../../shared/policies/sum-states.ts'
import { PAYEE, PAYROLL, transaction, transfer, USDC, WALLET } from '../shared/policies/requests.ts'
import { startDurablePostgres } from './durable-postgres.ts'
import { measurePolicySigning } from './policies-signing.ts'
import { policySums } from './policy-sums.ts'
import { percentile, report } from './report.ts'

const ROUNDS = 20_000
const WARM_UP = 5_000

export async function policies(): Promise<void> {
  const [rule] = PAYROLL.rules
  const others = Array.from({ length: 19 }, (_, index) => ({
    ...rule,
    name: `rule ${index}`,
    chains: [index + 2],
  }))
  const policy = parsePolicy(JSON.stringify({ ...PAYROLL, rules: [...others, rule] }))
  const request = transaction({ to: USDC.toLowerCase() })
  const context = { wallet: WALLET, action: null, now: Date.now() }
  const coding = new Interface(['function transfer(address to, uint256 amount)'])
  const data = transfer(PAYEE, 25_000_000n)

  const decision = evaluate(policy, request, context)
  if (decision.decision === 'deny') throw new Error(decision.explanation.join(' '))
  const baseline = medianUs(() => {
    const [to, amount] = coding.decodeFunctionData('transfer', data)
    return [to, amount]
  })
  const value = medianUs(() => evaluate(policy, request, context))
  report({
    bench: 'policies',
    metric: 'policy_check_us',
    value,
    unit: 'us',
    baseline,
    ratio: value / baseline,
  })

  let states: SumStates = new Map()
  let now = Date.now()
  const reserve = medianUs(() => {
    // One charge of a quarter of the maximum every six hours keeps the sum nearly full.
    now += 6 * 3_600_000
    const reserved = reserveCharges(states, decision.charges, now)
    if (reserved.isReserved) states = reserved.states
  })
  report({ bench: 'policies', metric: 'sum_add_us', value: reserve, unit: 'us' })

  const postgres = await startDurablePostgres()
  const { db, close } = await openDatabase({ url: await postgres.createDatabase('policies') })
  await policySums(db)
  await measurePolicySigning(db)
  await close()
  await postgres.close()
}

function medianUs(act: () => unknown): number {
  for (let round = 0; round < WARM_UP; round++) act()
  const times = Array.from({ length: ROUNDS }, () => {
    const began = performance.now()
    act()
    return (performance.now() - began) * 1_000
  })
  return percentile(times, 0.5)
}
