import type { OriginProcess } from './origin-process.ts'
import type { Server } from './server.ts'
import { Violation } from './trace.ts'

/**
 * One operation of a client. Its ledger subject is its own or shared by its process, so that the ledger shows its
 * charges.
 */
export type Operation = {
  name: string
  subject: string
  account: string
  keyHash: string
  process: OriginProcess
  /** Cents that it is waiting for. */
  needCents: number
  /** Cents announced for later. Another operation may be rejected because of them. */
  preparedCents: number
  reservedCents: number
  /** Cost reported to the client; 0 until the operation succeeds. */
  settledCents: number
  settledAt: number
  isOver: boolean
  /** Cents that had become free when its wait began. */
  freedBefore: number
}

/**
 * Reference model for results. It records the results reported to each client, and uses no code under test. If a result
 * depends on the leases of a dead process, it reads the rows of the database.
 */
export class Reference {
  readonly operations: Operation[] = []
  /** Credit that was granted, or may have been, by account. */
  readonly #credited = new Map<string, number>()
  /** Cents that became free for others since the start, by account. */
  readonly #freed = new Map<string, number>()
  /** Upper bound for the operations of a key, by account and key. */
  readonly #caps = new Map<string, CapBound>()
  readonly #judgements: (() => void)[] = []
  readonly #server: Server
  readonly #prefix: string
  /**
   * True if leases of live processes may expire. Two processes may then spend the same credit, and the excess is our
   * loss.
   */
  readonly #isWild: boolean
  refusals = 0

  constructor(server: Server, prefix: string, isWild: boolean) {
    this.#server = server
    this.#prefix = prefix
    this.#isWild = isWild
  }

  credited(account: string, cents: number): void {
    add(this.#credited, account, cents)
  }

  freed(account: string, cents: number): void {
    add(this.#freed, account, cents)
  }

  begin(account: string, process: OriginProcess, keyHash: string, isShared: boolean): Operation {
    const name = `operation-${this.operations.length + 1}`
    const operation: Operation = {
      name,
      subject: isShared ? `work of ${process.name}` : name,
      account,
      keyHash,
      process,
      needCents: 0,
      preparedCents: 0,
      reservedCents: 0,
      settledCents: 0,
      settledAt: 0,
      isOver: false,
      freedBefore: 0,
    }
    this.operations.push(operation)
    return operation
  }

  prepares(operation: Operation, cents: number): void {
    operation.preparedCents = cents
  }

  wants(operation: Operation, cents: number): void {
    add(this.#freed, operation.account, operation.preparedCents)
    operation.preparedCents = 0
    operation.needCents = cents
    operation.freedBefore = this.#freed.get(operation.account) ?? 0
  }

  got(operation: Operation): void {
    operation.reservedCents += operation.needCents
    operation.needCents = 0
    const { account } = operation
    const given = this.#credited.get(account) ?? 0
    const spent = this.#live(account).reduce(
      (sum, one) => sum + one.reservedCents + one.settledCents,
      0,
    )
    if (!this.#isWild && spent > given)
      throw new Violation(`${spent} cents of account ${account} are spent or reserved, of ${given}`)
    const cap = this.#caps.get(`${account} ${operation.keyHash}`)
    const ofKey = this.#ofKey(account, operation.keyHash)
    if (!this.#isWild && cap?.mostCents !== undefined && ofKey > cap.mostCents)
      throw new Violation(
        `${ofKey} cents are spent or reserved by a key of ${account}, of ${cap.mostCents}`,
      )
  }

  /**
   * Records that a key's cap is being set. Until the response, it is unknown which cap applies. Changes that overlap may
   * be applied in any order, so the highest of them is the bound.
   * @returns a function to call after the response
   */
  setsCap(account: string, keyHash: string, cents: number | undefined): () => void {
    const name = `${account} ${keyHash}`
    const known = this.#caps.get(name)
    const cap: CapBound = known && known.open > 0 ? known : { open: 0, candidates: [] }
    cap.open++
    cap.candidates.push(cents ?? Number.POSITIVE_INFINITY)
    this.#caps.set(name, cap)
    return () => {
      cap.open--
      // Earlier reservations count as spent.
      if (cap.open === 0) cap.mostCents = Math.max(...cap.candidates, this.#ofKey(account, keyHash))
    }
  }

  /** Records that an operation was rejected by its key's spending cap. */
  capped({ account, keyHash, needCents }: Operation): void {
    if (!this.#caps.has(`${account} ${keyHash}`))
      throw new Violation(
        `${needCents} cents were refused to a key of ${account}, which has no cap`,
      )
  }

  #ofKey(account: string, keyHash: string): number {
    return this.#live(account)
      .filter((one) => one.keyHash === keyHash)
      .reduce((sum, one) => sum + one.reservedCents + one.settledCents, 0)
  }

  settled(operation: Operation, cents: number, at: number): void {
    const free = operation.reservedCents - cents
    Object.assign(operation, { settledCents: cents, settledAt: at, reservedCents: 0, isOver: true })
    add(this.#freed, operation.account, free)
  }

  /** Records that an operation failed or gave up, so that it must cost nothing. */
  over(operation: Operation): void {
    add(this.#freed, operation.account, operation.reservedCents + operation.needCents)
    Object.assign(operation, { reservedCents: 0, needCents: 0, isOver: true })
  }

  /** Records that an operation was rejected because the account cannot pay. */
  refused(operation: Operation): void {
    this.refusals++
    const { account, needCents, freedBefore } = operation
    const freed = (this.#freed.get(account) ?? 0) - freedBefore
    operation.needCents = 0
    // Others may have been rejected because of the cents that it waited for.
    add(this.#freed, account, needCents)
    const live = this.#live(account).map((one) => ({ ...one }))
    this.#judgements.push(() => this.#judgeRefusal(account, needCents, freed, live))
  }

  judge(): void {
    for (const judgement of this.#judgements.splice(0)) judgement()
  }

  /** @param freed cents that became free during the wait, perhaps only after the rejection */
  #judgeRefusal(account: string, cents: number, freed: number, live: readonly Operation[]): void {
    const hash = this.#prefix + account
    const [row] = this.#server.peek(
      `select balance_cents - leased_cents - debt_cents from credit_accounts where account_hash = '${hash}'`,
    )
    const leases = this.#server.peek(
      `select process_id, cents from credit_leases where account_hash = '${hash}'`,
    )
    const charged = this.charged(account)
    const ids = new Set(live.map(({ process }) => process.id))
    const held = leases.reduce((sum, [id, of]) => sum + (ids.has(String(id)) ? Number(of) : 0), 0)
    const settled = new Map<string, number>()
    for (const one of live) add(settled, one.subject, one.settledCents)
    const unsettled = [...settled].reduce(
      (sum, [of, told]) => sum + told - (charged.get(of) ?? 0),
      0,
    )
    const waited = live.reduce(
      (sum, one) => sum + one.reservedCents + one.needCents + one.preparedCents,
      0,
    )
    const used = unsettled + waited
    const spendable = Number(row?.[0] ?? 0) + held - used
    if (spendable - freed >= cents)
      throw new Violation(
        `${cents} cents of account ${account} were refused, and ${spendable} could be spent`,
      )
  }

  /** Charges in the ledger, by subject. */
  charged(account: string): Map<string, number> {
    const rows = this.#server.peek(
      `select subject, sum(cents) from ledger_transfers where account_hash = '${this.#prefix + account}' and kind in ('write', 'execution') group by subject`,
    )
    return new Map(rows.map(([subject, cents]) => [String(subject), Number(cents)]))
  }

  #live(account: string): Operation[] {
    return this.operations.filter((one) => one.account === account && one.process.alive)
  }
}

/** Changes of a cap that overlap, and their common bound once all of them have been answered. */
type CapBound = { open: number; candidates: number[]; mostCents?: number }

function add(sums: Map<string, number>, key: string, cents: number): void {
  sums.set(key, (sums.get(key) ?? 0) + cents)
}
