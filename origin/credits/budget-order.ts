/** Requests that a process makes for a budget of an account, and the answers of the database. */

/** A process's request for one budget. All amounts are in the unit of the budget, which is cents or milliseconds. */
export type BudgetOrder = {
  /** Amount in open reservations. It stays in the lease. */
  reserved: number
  /** Free amount that waiting callers need. */
  need: number
  /** Additional free amount to lease if plenty is available. */
  extra: number
  /** If true, the free amount that is not needed is returned. */
  giveBack: boolean
  /** If true and the need cannot be met, other processes are asked to return the free amounts in their leases. */
  ask: boolean
}

/**
 * Amount that another process holds in its lease, the number of requests sent to that process, and how many of them it
 * has answered.
 */
export type HeldElsewhere = {
  id: string
  held: number
  /** The reserved part of `held`, as of the other process's last order. Only known for credit. */
  reserved?: number
  asked: number
  answered: number
}

export type BudgetAnswer = {
  /** Amount that the lease holds. Infinity if the budget has no limit. */
  held: number
  /** Amount that is not in any lease. Negative if the limit was lowered below the sum of the leased amounts. */
  available: number
  others: readonly HeldElsewhere[]
}

export type BudgetTerms = {
  /** Maximum use within the window. Infinity if the budget has no limit. */
  limit: number
  /** Settled use within the window. Charges that are not settled yet are not included. */
  used: number
  windowSeconds: number
  /** Time at which the oldest step of the used amount leaves the window. */
  nextLeavesAt: Date | undefined
}

/** Request for a sub-allocation of a lease. Every budget except credit is a sub-allocation. */
export type PartOrder = BudgetOrder & {
  budget: string
  /**
   * Amount that was used and must be counted. Always 0 for a spending cap, because the charges of the key are counted
   * instead.
   */
  used: number
}

export type PartAnswer = BudgetAnswer & { budget: string; terms: BudgetTerms }

/**
 * Calculates the amount that a lease receives (positive) or returns (negative).
 * @param free amount that the lease holds beyond its reservations; negative if the lease had expired and no longer
 * covers them
 * @param available amount that is not in any lease; negative if a limit was lowered
 */
export function shift(
  { need, extra, giveBack }: BudgetOrder,
  free: number,
  available: number,
): number {
  const kept = Math.min(need, Math.max(0, free + available))
  if (giveBack && free > kept) return kept - free
  const there = Math.max(0, available)
  const needed = Math.min(there, Math.max(0, need - free))
  // Takes at most half of the remainder, so that other processes find some credit without asking for it.
  const beyond = Math.min(extra, Math.floor((there - needed) / 2))
  return needed + (free < need + extra ? Math.max(0, beyond) : 0)
}
