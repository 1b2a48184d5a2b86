import type { OriginProcess } from './origin-process.ts'
import type { Server } from './server.ts'
import { Violation } from './trace.ts'

/**
 * One thing that a client wants done. Its subject is its own, or its process', so that the ledger says what it was
 * charged.
 */
export type Operation = {
  name: string
  subject: string
  account: string
  keyHash: string
  process: OriginProcess
  /** Waited for now. */
  needCents: number
  /** Said to be wanted soon: who is refused beside it may be refused because of it. */
  preparedCents: number
  reservedCents: number
  /** What the client was told that it costs; 0 until it has succeeded. */
  settledCents: number
  settledAt: number
  isOver: boolean
  /** What had become free when its wait began. */
  freedBefore: number
}

/**
 * What the answers are judged against: a plain account of who was told what. Nothing of the code under test takes
 * part; where the answer depends on what a dead process holds, the rows of the database are asked.
 */
export class Reference {
  readonly operations: Operation[] = []
  /** By account: credit that was given, or may have been. */
  readonly #credited = new Map<string, number>()
  /** By account: cents that became free for others since the beginning. */
  readonly #freed = new Map<string, number>()
  /** By account and key: what its operations may come to, where that is known. */
  readonly #caps = new Map<string, { mostCents?: number }>()
  readonly #judgements: (() => void)[] = []
  readonly #server: Server
  readonly #prefix: string
  /** Leases of live processes may be taken for dead: then both may spend, and what is too much is lost to us. */
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
   * A key's cap is being set; which one holds is not known until that is answered.
   * @returns what is called when it was answered
   */
  setsCap(account: string, keyHash: string, cents: number | undefined): () => void {
    const name = `${account} ${keyHash}`
    const cap: { mostCents?: number } = {}
    this.#caps.set(name, cap)
    return () => {
      if (this.#caps.get(name) !== cap || cents === undefined) return
      // What was reserved before is spent.
      cap.mostCents = Math.max(cents, this.#ofKey(account, keyHash))
    }
  }

  /** It was told that its key may not spend so much. */
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

  /** It failed, or gave up: it must cost nothing. */
  over(operation: Operation): void {
    add(this.#freed, operation.account, operation.reservedCents + operation.needCents)
    Object.assign(operation, { reservedCents: 0, needCents: 0, isOver: true })
  }

  /** It was told that the account cannot pay. */
  refused(operation: Operation): void {
    this.refusals++
    const { account, needCents, freedBefore } = operation
    const freed = (this.#freed.get(account) ?? 0) - freedBefore
    operation.needCents = 0
    // Others may have been refused because of what it waited for.
    add(this.#freed, account, needCents)
    const live = this.#live(account).map((one) => ({ ...one }))
    this.#judgements.push(() => this.#judgeRefusal(account, needCents, freed, live))
  }

  judge(): void {
    for (const judgement of this.#judgements.splice(0)) judgement()
  }

  /** @param freed what became free while it waited, and may not have been when it was refused */
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

  /** By subject, what the ledger has charged. */
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

function add(sums: Map<string, number>, key: string, cents: number): void {
  sums.set(key, (sums.get(key) ?? 0) + cents)
}
