/**
 * Measures reservations of sums by one process, of one sum and of many, compared with transactions that update one row
 * each, on the same number of connections; and the latency of a single reservation.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../../origin/db/open.ts'
import { PolicySums } from '../../origin/policies/sums/policy-sums.ts'
import { charge, newDigest, newWallet, POLICY_HASH } from '../origin/policies/reservations.ts'
import { UINT256_MAX } from '../../shared/policies/numbers.ts'
import { median, percentile, report } from './report.ts'

/** Alternating rounds, because on a noisy machine a ratio is more reliable than an absolute figure. */
const ROUNDS = 5
const ROUND_MS = 1_000
const CONCURRENCY = 64
const WALLETS = 64
const LATENCIES = 500

export async function policySums(db: Database): Promise<void> {
  const sums = new PolicySums({
    db,
    now: Date.now,
    monotonic: () => performance.now(),
    log: () => {},
  })
  const [wallet, ...others] = Array.from({ length: WALLETS + 1 }, newWallet) as [string]
  const reserve = (pkpId: string) =>
    sums.reserve({
      pkpId,
      digest: newDigest(),
      policyHash: POLICY_HASH,
      policySetAt: 1e11,
      charges: [charge({ max: UINT256_MAX })],
    })
  await db.execute(sql`create table updated (id int primary key, amount bigint not null)`)
  await db.execute(sql`insert into updated select n, 0 from generate_series(0, ${WALLETS}::int) n`)
  const update = (id: number) =>
    db.transaction((tx) => tx.execute(sql`update updated set amount = amount + 1 where id = ${id}`))

  const many = (index: number) => reserve(others[index % WALLETS]!)
  const cases = [
    { of: 'one_sum', act: () => reserve(wallet), floor: () => update(0) },
    { of: 'many_sums', act: many, floor: (index: number) => update(1 + (index % WALLETS)) },
  ]
  for (const { of, act, floor } of cases) {
    await rateOf(act)
    const [rates, floors]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      rates.push(await rateOf(act))
      floors.push(await rateOf(floor))
    }
    const [value, baseline] = [median(rates), median(floors)]
    report({
      bench: 'policies',
      metric: `sums_reserve_rate_${of}`,
      value,
      unit: '1/s',
      baseline,
      ratio: value / baseline,
    })
  }
  const [value, baseline] = [await medianMs(() => reserve(wallet)), await medianMs(() => update(0))]
  report({
    bench: 'policies',
    metric: 'sums_reserve_p50_ms',
    value,
    unit: 'ms',
    baseline,
    ratio: value / baseline,
  })
}

/** Rate per second of concurrent calls. */
async function rateOf(act: (index: number) => Promise<unknown>): Promise<number> {
  const began = performance.now()
  let count = 0
  const worker = async (index: number) => {
    while (performance.now() < began + ROUND_MS) {
      await act(index)
      count++
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, (_, index) => worker(index)))
  return (count / (performance.now() - began)) * 1_000
}

async function medianMs(act: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < LATENCIES; n++) {
    const began = performance.now()
    await act()
    times.push(performance.now() - began)
  }
  return percentile(times, 0.5)
}
