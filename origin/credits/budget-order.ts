/** What a process wants of one budget of an account, and how the budget stands after it. */

/** In cents or milliseconds, as the budget counts. */
export type BudgetOrder = {
  /** Stays held: reservations that are open. */
  reserved: number
  /** Free that is waited for. */
  need: number
  /** Free beyond that, where there is plenty. */
  extra: number
  /** What is free and not needed goes back. */
  giveBack: boolean
  /** When the need is not met, the other processes are asked for what is free in their leases. */
  ask: boolean
}

/** What another process holds, how often it was asked for it, and how many of these questions it has answered. */
export type HeldElsewhere = { id: string; held: number; asked: number; answered: number }

export type BudgetAnswer = {
  /** What the lease holds now; Infinity where there is no limit. */
  held: number
  /** In no lease; below 0 where a limit was lowered under what is held. */
  available: number
  others: readonly HeldElsewhere[]
}

/** What limits a budget. */
export type BudgetTerms = {
  /** Infinity where there is none. */
  limit: number
  /** Used in the window, as far as it is settled. */
  used: number
  windowSeconds: number
  /** When the first step of what is used leaves the window. */
  nextLeavesAt: Date | undefined
}

/** What a process wants of a part of its lease: of any budget but credit. */
export type PartOrder = BudgetOrder & {
  budget: string
  /** Used, and to be counted; of a cap 0, since the charges of its key say it. */
  used: number
}

export type PartAnswer = BudgetAnswer & { budget: string; terms: BudgetTerms }

/**
 * What a lease gets (above 0) or gives back (below 0).
 * @param free what it holds beyond its reservations; below 0 where it had expired, and covers them no more
 * @param available what is in no lease; below 0 where a limit was lowered
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
  // Half of the rest at most: other processes find some without asking, down to the last cents.
  const beyond = Math.min(extra, Math.floor((there - needed) / 2))
  return needed + (free < need + extra ? Math.max(0, beyond) : 0)
}
