import { sql } from 'drizzle-orm'
import type { SumState } from '../../../shared/policies/rolling-sum.ts'
import { sumStateJson } from '../../../shared/policies/sum-states.ts'
import type { Database } from '../../db/open.ts'
import type { ClockBounds } from './clocks.ts'
import {
  type ChangedSum,
  inOrderOfDigest,
  type PaidDigest,
  type SumRow,
  sumName,
} from './sum-rows.ts'

export type Replacement = {
  /** All sums on which the decision depends, in their assumed stored state. */
  before: readonly SumRow[]
  changed: readonly ChangedSum[]
  /** Digests that are assumed not to be stored. */
  paid: readonly PaidDigest[]
  paidUntil: number
  completeSince: number
  /** Assumed bounds of the database's clock. */
  bounds: ClockBounds
}

/**
 * Replaces sums and stores digests durably, or changes nothing if an assumption is wrong. `clock` is the database's
 * clock, read after the sums were locked.
 */
export type ReplaceSums = (
  replacement: Replacement,
) => Promise<{ isReplaced: boolean; clock: number }>

/** Prepares a statement that needs one round trip and one commit. Each connection parses it once. */
export function prepareReplaceSums(db: Database): ReplaceSums {
  const given = (name: string, type: string) => sql`${sql.placeholder(name)}::${sql.raw(type)}`
  const parameters = [
    given('wallets', 'text[]'),
    given('keys', 'text[]'),
    given('befores', 'jsonb[]'),
    given('afters', 'jsonb[]'),
    given('expiries', 'timestamptz[]'),
    given('payers', 'text[]'),
    given('digests', 'text[]'),
    given('policies', 'text[]'),
    given('paidUntil', 'timestamptz'),
    given('since', 'float8'),
    given('from', 'float8'),
    given('to', 'float8'),
  ]
  const statement = db
    .select({ clock: sql<number>`clock`, isReplaced: sql<boolean>`is_replaced` })
    .from(sql`replace_sums(${sql.join(parameters, sql`, `)})`)
    .prepare('replace_sums')
  return async ({ before, changed, paid, paidUntil, completeSince, bounds }) => {
    const changes = new Map(changed.map((sum) => [sumName(sum), sum]))
    const after = before.map((row) => changes.get(sumName(row)))
    const digests = inOrderOfDigest(paid)
    const [row] = await statement.execute({
      wallets: before.map(({ pkpId }) => pkpId),
      keys: before.map(({ key }) => key),
      befores: before.map(({ state }) => stateText(state)),
      afters: after.map((sum) => stateText(sum?.state)),
      expiries: after.map((sum) => (sum ? new Date(sum.expiresAt).toISOString() : null)),
      payers: digests.map(({ pkpId }) => pkpId),
      digests: digests.map(({ digest }) => digest),
      policies: digests.map(({ policyHash }) => policyHash),
      paidUntil: new Date(paidUntil).toISOString(),
      since: completeSince,
      ...bounds,
    })
    if (!row) throw new Error('a function returns a row')
    return row
  }
}

const stateText = (state: SumState | undefined) =>
  state ? JSON.stringify(sumStateJson(state)) : null
