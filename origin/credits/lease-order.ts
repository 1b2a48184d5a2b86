import { and, eq, gt, inArray, lt, ne, sql } from 'drizzle-orm'
import { creditLeases } from '../db/schema.ts'
import {
  changeAccount,
  type ChargeKind,
  type CreditAccount,
  creditsOf,
  lockAccount,
  payDebt,
  post,
  REVENUE,
  type Transaction,
} from './ledger.ts'

/** Charges of one kind, key and subject, summed until they are settled. */
export type Charge = {
  kind: ChargeKind
  keyHash: string
  subject: string
  cents: number
  quantity: number
}

/** What a process wants done with its lease of one account, all of it or nothing. */
export type LeaseOrder = {
  leaseId: string
  accountHash: string
  /** Counts up from 1 for each lease: an order that is sent again, or arrives late, does nothing. */
  sequence: number
  /** Spent out of the lease, and to be settled. */
  charges: readonly Charge[]
  /** Stays held: reservations that are open. */
  reservedCents: number
  /** Free credit that is waited for. */
  needCents: number
  /** Free credit beyond that, where there is plenty. */
  extraCents: number
  /** What is free and not needed goes back. */
  giveBack: boolean
  /** When the need is not met, the other processes are asked for what is free in their leases. */
  ask: boolean
}

/** How things stand after an order. */
export type LeaseAnswer = {
  /** What the lease holds now. */
  heldCents: number
  /** In no lease. */
  availableCents: number
  balanceCents: number
  debtCents: number
  /** The leases of other processes. */
  others: readonly { id: string; asked: number; answered: number; reservedCents: number }[]
  /** Charges that the account could not pay any more: its lease had expired. */
  unpaidCents: number
}

export type LeaseTerms = {
  processId: string
  starterCents: number
  at: Date
  expiresAt: Date
}

type LeaseRow = typeof creditLeases.$inferSelect

/** Carries an order out. Idempotent: the answer to an order that was carried out before is how things stand. */
export async function carryOut(
  tx: Transaction,
  order: LeaseOrder,
  terms: LeaseTerms,
): Promise<LeaseAnswer> {
  const locked = await lockAccount(tx, order.accountHash, terms)
  const { account, own, others } = await readLeases(tx, locked, order.leaseId, terms.at)
  const done = own !== undefined && own.sequence >= order.sequence
  const { held, changed, unpaidCents } = done
    ? { held: own.cents, changed: account, unpaidCents: 0 }
    : await apply(tx, order, terms, account, own)
  const availableCents = changed.balanceCents - changed.leasedCents
  const wanting = held - order.reservedCents < order.needCents
  const asked = order.ask && !done && wanting ? await askOthers(tx, others) : others
  return {
    heldCents: held,
    availableCents,
    balanceCents: changed.balanceCents,
    debtCents: changed.debtCents,
    others: asked,
    unpaidCents,
  }
}

async function apply(
  tx: Transaction,
  order: LeaseOrder,
  terms: LeaseTerms,
  account: CreditAccount,
  own: LeaseRow | undefined,
): Promise<{ held: number; changed: CreditAccount; unpaidCents: number }> {
  const before = own?.cents ?? 0
  const { posted, unpaidCents } = await settle(tx, order, terms.at, account, before)
  // A lease that was taken for dead covers nothing any more: then what is available pays, as far as it goes.
  const covered = Math.min(posted, before)
  const left = before - covered
  const free = account.balanceCents - account.leasedCents - (posted - covered)
  // What is owed comes before what anybody leases.
  const available = Math.max(0, free - account.debtCents)
  const held = left + shift(order, left, available)
  await storeLease(tx, order, terms, own, held)
  const change = { balanceCents: -posted, leasedCents: held - before }
  const settled = await changeAccount(tx, account, change)
  // Debt waits for what processes had leased when a refund came.
  const cause = `${order.leaseId}:${order.sequence}`
  const changed = await payDebt(tx, settled, terms.at, cause)
  return { held, changed, unpaidCents }
}

/** What the lease gets (above 0) or gives back (below 0), given what it holds and what is in no lease. */
function shift(order: LeaseOrder, held: number, available: number): number {
  const free = held - order.reservedCents
  if (order.giveBack && free > order.needCents) return order.needCents - free
  const needed = Math.min(available, Math.max(0, order.needCents - free))
  // Half of the rest at most: other processes find some without asking, down to the last cents.
  const extra = Math.min(order.extraCents, Math.floor((available - needed) / 2))
  return needed + Math.max(0, free < order.needCents + order.extraCents ? extra : 0)
}

/** Charges what the lease and the available credit can pay, and never more. */
async function settle(
  tx: Transaction,
  order: LeaseOrder,
  at: Date,
  account: CreditAccount,
  held: number,
): Promise<{ posted: number; unpaidCents: number }> {
  let payable = held + account.balanceCents - account.leasedCents
  let unpaidCents = 0
  const transfers = order.charges.flatMap((charge, index) => {
    const cents = Math.min(charge.cents, payable)
    payable -= cents
    unpaidCents += charge.cents - cents
    if (cents === 0) return []
    const idempotencyKey = `charge:${order.leaseId}:${order.sequence}:${index}`
    const from = creditsOf(order.accountHash)
    return [{ ...charge, idempotencyKey, from, to: REVENUE, cents }]
  })
  return { posted: -(await post(tx, order.accountHash, at, transfers)), unpaidCents }
}

async function storeLease(
  tx: Transaction,
  order: LeaseOrder,
  { processId, expiresAt }: LeaseTerms,
  own: LeaseRow | undefined,
  cents: number,
): Promise<void> {
  if (cents === 0 && order.reservedCents === 0) {
    if (own) await tx.delete(creditLeases).where(eq(creditLeases.id, order.leaseId))
    return
  }
  const { sequence, reservedCents } = order
  const lease = { cents, reservedCents, sequence, expiresAt }
  const answered = order.giveBack ? (own?.asked ?? 0) : (own?.answered ?? 0)
  if (own)
    await tx
      .update(creditLeases)
      .set({ ...lease, answered })
      .where(eq(creditLeases.id, order.leaseId))
  else {
    const { leaseId: id, accountHash } = order
    await tx
      .insert(creditLeases)
      .values({ ...lease, id, accountHash, processId, asked: 0, answered: 0 })
  }
}

/** The leases of an account; those that have expired return to it. */
async function readLeases(
  tx: Transaction,
  account: CreditAccount,
  ownId: string,
  at: Date,
): Promise<{ account: CreditAccount; own: LeaseRow | undefined; others: LeaseRow[] }> {
  const ofAccount = eq(creditLeases.accountHash, account.accountHash)
  const rows = await tx.select().from(creditLeases).where(ofAccount)
  const own = rows.find(({ id }) => id === ownId)
  const others = rows.filter(({ id }) => id !== ownId)
  if (!others.some(({ expiresAt }) => expiresAt < at)) return { account, own, others }
  // The condition again: its process may have renewed it since it was read.
  const expired = await tx
    .delete(creditLeases)
    .where(and(ofAccount, ne(creditLeases.id, ownId), lt(creditLeases.expiresAt, at)))
    .returning()
  const gone = new Set(expired.map(({ id }) => id))
  const returned = expired.reduce((sum, { cents }) => sum + cents, 0)
  const freed = await changeAccount(tx, account, { leasedCents: -returned })
  return {
    account: await payDebt(tx, freed, at, causeOf(expired)),
    own,
    others: others.filter(({ id }) => !gone.has(id)),
  }
}

/** What leases that ended made free, by a name that no other end has: a lease's number goes up with each order. */
export function causeOf(ended: readonly Pick<LeaseRow, 'id' | 'sequence'>[]): string {
  const [first] = ended.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  return `ended:${first?.id}:${first?.sequence}`
}

async function askOthers(tx: Transaction, others: LeaseRow[]): Promise<LeaseRow[]> {
  if (others.length === 0) return others
  const ids = others.map(({ id }) => id)
  return tx
    .update(creditLeases)
    .set({ asked: sql`${creditLeases.asked} + 1` })
    .where(and(inArray(creditLeases.id, ids), gt(creditLeases.cents, 0)))
    .returning()
}
