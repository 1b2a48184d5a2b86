/** A database with a clock that the test sets, the sums of two processes in it, and parts of reservations. */
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll } from 'vitest'
import { type Database, type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { policySignatures, policySums } from '../../../origin/db/schema.ts'
import { PolicySums } from '../../../origin/policies/sums/policy-sums.ts'
import type { SignatureReservation } from '../../../origin/policies/sums/reservation.ts'
import type { Charge } from '../../../shared/policies/charges.ts'
import { openWithClock } from './database-clock.ts'
import { charge, newDigest, POLICY_HASH } from './reservations.ts'

export const HOUR_S = 3_600

/** Opens the databases before the tests of the file, and closes them afterwards. */
export function useSumsDatabase() {
  const opened = {} as {
    database: OpenDatabase & { url: string }
    /** The connections of a second process. */
    other: OpenDatabase
  }
  beforeAll(async () => {
    opened.database = await openWithClock()
    opened.other = await openDatabase({ url: opened.database.url })
  })
  afterAll(async () => {
    await opened.other.close()
    await opened.database.close()
  })
  const logs: string[] = []
  return {
    opened,
    logs,
    sumsAt: (
      now: () => number = Date.now,
      { db }: { db: Database } = opened.database,
    ): PolicySums =>
      new PolicySums({
        db,
        now,
        monotonic: () => performance.now(),
        log: (event) => void logs.push(event),
      }),
    rowsOf: async (pkpId: string) => {
      const { db } = opened.database
      return {
        sums: await db.select().from(policySums).where(eq(policySums.pkpId, pkpId)),
        digests: await db.select().from(policySignatures).where(eq(policySignatures.pkpId, pkpId)),
      }
    },
  }
}

export function reservation(
  pkpId: string,
  charges: readonly Charge[],
  given: Partial<SignatureReservation> = {},
): SignatureReservation {
  const policySetAt = Math.floor(Date.now() / 1_000) + 60
  return { pkpId, digest: newDigest(), policyHash: POLICY_HASH, policySetAt, charges, ...given }
}

export const hourly = (amount: bigint, max = 100n) => charge({ amount, max, window_s: HOUR_S })
