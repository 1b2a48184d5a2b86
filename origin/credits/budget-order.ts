/** A process's request for one budget of an account, and the resulting state of the budget. */

/** All amounts are in the unit of the budget: cents or milliseconds. */
export type BudgetOrder = {
  /** Amount in open reservations, which stays in the lease. */
  reserved: number
  /** Free amount that callers are waiting for. */
  need: number
  /** Additional free amount to take if plenty is available. */
  extra: number
  /** Return the free amount that is not needed. */
  giveBack: boolean
  /** If the need is not met, ask other processes for the free amounts in their leases. */
  ask: boolean
}

/** The amount another process holds, how many requests it was sent, and how many of them it has answered. */
export type HeldElsewhere = {
  id: string
  held: number
  /** The reserved part of `held`, as of the other process's last order. Only known for credit. */
  reserved?: number
  asked: number
  answered: number
}

export type BudgetAnswer = {
  /** Amount that the lease holds; Infinity if there is no limit. */
  held: number
  /** Amount that is not in any lease; negative if the limit was lowered below the amounts held. */
  available: number
  others: readonly HeldElsewhere[]
}

export type BudgetTerms = {
  /** Infinity if there is no limit. */
  limit: number
  /** Settled use within the window. */
  used: number
  windowSeconds: number
  /** When the oldest step of the used amount leaves the window. */
  nextLeavesAt: Date | undefined
}

/** Request for a sub-allocation of a lease, which exists for every budget except credit. */
export type PartOrder = BudgetOrder & {
  budget: string
  /** Used amount to be counted. Always 0 for a cap, because the charges of its key are counted instead. */
  used: number
}

export type PartAnswer = BudgetAnswer & { budget: string; terms: BudgetTerms }

/**
 * Calculates the amount that a lease receives (positive) or returns (negative).
 * @param free amount the lease holds beyond its reservations; negative if it had expired and no longer covers them
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
  // Takes at most half of the remainder, so that other processes find some credit without asking.
  const beyond = Math.min(extra, Math.floor((there - needed) / 2))
  return needed + (free < need + extra ? Math.max(0, beyond) : 0)
}
