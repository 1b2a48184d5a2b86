import type { ChargeKind } from './ledger.ts'

/** Amounts are in the unit of the budget: cents or milliseconds. */
export type BudgetOrder = {
  /** Amount in open reservations. It stays in the lease. */
  reserved: number
  need: number
  /** Additional amount to lease if plenty is available. */
  extra: number
  /** Returns the free amount that is not needed. */
  giveBack: boolean
  /** Asks other processes to return free amounts if the need cannot be met. */
  ask: boolean
}

/** `asked` counts the requests to the other process, `answered` the answers. */
export type OtherLease = {
  id: string
  held: number
  /** Reserved part of `held`, as of the other process's last order. Only known for credit. */
  reserved?: number
  asked: number
  answered: number
}

export type BudgetAnswer = {
  /** Infinity if the budget has no limit. */
  held: number
  /** Amount that is not in any lease. Negative if the limit was lowered below the sum of the leased amounts. */
  available: number
  others: readonly OtherLease[]
}

export type BudgetTerms = {
  /** Infinity if the budget has no limit. */
  limit: number
  /** Excludes charges that are not settled yet. */
  used: number
  windowSeconds: number
  nextLeavesAt: Date | undefined
}

/** Every budget except credit is a sub-allocation. */
export type SubAllocationOrder = BudgetOrder & {
  budget: string
  /** Always 0 for a spending cap, because the charges of the key are counted instead. */
  used: number
}

export type SubAllocationAnswer = BudgetAnswer & { budget: string; terms: BudgetTerms }

export type Charge = {
  kind: ChargeKind
  keyHash: string
  /** Name of the operation, or CID of the action. */
  subject: string
  cents: number
  quantity: number
}

/** Changes to a process's lease on one account. They are applied atomically. */
export type LeaseOrder = {
  leaseId: string
  accountHash: string
  /** Starts at 1 for each lease, so that a repeated or late order is recognized and has no effect. */
  sequence: number
  charges: readonly Charge[]
  credit: BudgetOrder
  /** Includes the spending caps that apply to the charges. */
  parts: readonly SubAllocationOrder[]
}

export type LeaseAnswer = {
  credit: BudgetAnswer
  parts: readonly SubAllocationAnswer[]
  balanceCents: number
  debtCents: number
  /** Reservations of other processes, as of their latest orders. */
  reservedElsewhereCents: number
  /** Charges that could not be paid because the lease had expired. */
  unpaidCents: number
  /** True if the database did not have the lease. The lease's earlier sub-allocations are then lost. */
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
 * covers them
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
  // At most half of the remainder, so that other processes find some credit without asking for it.
  const surplus = Math.min(extra, Math.floor((leasable - needed) / 2))
  return needed + (free < need + extra ? Math.max(0, surplus) : 0)
}
