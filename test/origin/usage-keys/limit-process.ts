/** Parts of one origin process: its copy of the limits, with its lease, over a database that several processes share. */
import { MirrorBarrier } from '../../../origin/accounts/mirror/mirror-barrier.ts'
import { ReadLease } from '../../../origin/accounts/mirror/read-lease.ts'
import type { Account, AccountUsageKey, Principal } from '../../../origin/accounts/account.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { LIMITS } from '../../../origin/usage-keys/stored-limits.ts'
import { UsageKeyLimits } from '../../../origin/usage-keys/usage-key-limits.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
export const KEY = { accountHash: hash('a'), keyHash: hash('b') }
export const PRINCIPAL: Principal = {
  account: { hash: KEY.accountHash } as Account,
  keyHash: KEY.keyHash,
  usageKey: { hash: KEY.keyHash } as AccountUsageKey,
}

export type LimitProcess = Awaited<ReturnType<typeof startLimitProcess>>

/** Renewals are noticed by polling only, so a change takes up to half a second to arrive. */
export async function startLimitProcess({ db }: OpenDatabase, processId: string) {
  const clock = { now: Date.now(), monotonicAheadMs: 0 }
  const common = {
    db,
    processId,
    chain: LIMITS,
    now: () => performance.now() + clock.monotonicAheadMs,
    onFailure: () => {},
  }
  const barrier = new MirrorBarrier(common)
  const limits = new UsageKeyLimits({
    db,
    now: () => clock.now,
    appliedEverywhere: (version) => barrier.wait(version),
  })
  const lease = new ReadLease({ ...common, mirror: limits })
  await lease.start()
  return { clock, limits, close: () => lease.close() }
}
