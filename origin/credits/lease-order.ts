import type { ChargeKind } from './ledger.ts'

/** Amounts are in the unit of the budget: cents or milliseconds. */
export type BudgetOrder = {
  /** Amount of open reservations, which stays in the lease. */
  reserved: number
  need: number
  /** Additional amount to lease if enough is available. */
  extra: number
  /** True if the free amount that is not needed is returned to the account. */
  giveBack: boolean
  /** True if other processes are asked to return free amounts when the need cannot be met. */
  ask: boolean
}

/**
 * Lease of another process. `asked` counts the requests to return free amounts; `answered` counts the answered ones.
 */
export type OtherLease = {
  id: string
  held: number
  /** Reserved part of `held`, as of the other process's last order. Undefined for budgets other than credit. */
  reserved?: number
  asked: number
  answered: number
}

export type BudgetAnswer = {
  /** Amount in the lease. Infinity if the budget has no limit. */
  held: number
  /** Amount that is not in any lease. Negative if the limit was lowered below the sum of the leased amounts. */
  available: number
  others: readonly OtherLease[]
}

export type BudgetTerms = {
  /** Infinity if the budget has no limit. */
  limit: number
  /** Amount used within the window, excluding charges that are not settled yet. */
  used: number
  windowSeconds: number
  nextLeavesAt: Date | undefined
}

export type SubAllocationOrder = BudgetOrder & {
  budget: string
  /**
   * Used amount that is not settled yet. Always 0 for a spending cap, because the charges of the key are counted
   * instead.
   */
  used: number
}

export type SubAllocationAnswer = BudgetAnswer & { budget: string; terms: BudgetTerms }

export type Charge = {
  kind: ChargeKind
  keyHash: string
  /** Subject of the charge: name of the operation, or CID of the action. */
  subject: string
  cents: number
  quantity: number
}

/** Changes to a process's lease on one account, which are applied atomically. */
export type LeaseOrder = {
  leaseId: string
  accountHash: string
  /**
   * Sequence number that starts at 1 for each lease, so that a repeated or late order is recognized and has no effect.
   */
  sequence: number
  charges: readonly Charge[]
  credit: BudgetOrder
  /** Orders for sub-allocations, including the spending caps that apply to the charges. */
  parts: readonly SubAllocationOrder[]
}

export type LeaseAnswer = {
  credit: BudgetAnswer
  parts: readonly SubAllocationAnswer[]
  balanceCents: number
  debtCents: number
  /** True if an operator suspended the account. The lease then holds only reserved credit. */
  isSuspended: boolean
  /** Credit that other processes have reserved, as of their latest orders. */
  reservedElsewhereCents: number
  /** Cents of charges that could not be paid because the lease had expired. */
  unpaidCents: number
  /** True if the lease was not in the database. In this case, the lease's earlier sub-allocations are lost. */
  isNew: boolean
  isStored: boolean
}

export type LeaseTerms = {
  processId: string
  starterCents: number
  at: Date
  expiresAt: Date
}

/**
 * Amount that a lease receives (positive) or returns (negative).
 * @param free amount that the lease holds beyond its reservations; negative if the lease had expired and no longer
 * covers the reservations
 * @param available amount that is not in any lease; negative if a limit was lowered
 */
export function leaseDelta(
  { need, extra, giveBack }: BudgetOrder,
  free: number,
  available: number,
): number {
  const kept = Math.min(need, Math.max(0, free + available))
  if (giveBack && free > kept) return kept - free
  const leasable = Math.max(0, available)
  const needed = Math.min(leasable, Math.max(0, need - free))
  // Leases at most half of the remainder, so that other processes find an available amount without requesting it.
  const surplus = Math.min(extra, Math.floor((leasable - needed) / 2))
  return needed + (free < need + extra ? Math.max(0, surplus) : 0)
}
