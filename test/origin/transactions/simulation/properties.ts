/** Properties that must hold after every commit and every block. */
import { type Trace, Violation } from '../../credits/simulation/trace.ts'
import type { ModelChain } from './model-chain.ts'
import type { SerialServer } from './serial-server.ts'

type AttemptFacts = { id: string; hash: string; kind: string; nonce: number; maxFee: bigint }
type RowFacts = {
  id: string
  address: string
  nonce: number | null
  state: string
  maxFee: bigint | null
  waitingFor: string | null
  minedHash: string | null
  minedBlock: number | null
  hasEnded: boolean
  /** All columns, to notice a change. */
  text: string
}

const IN_FLIGHT_MAX = 64

const ROWS = `select id, address, nonce, state, waiting_for, max_fee_per_gas, mined_hash, mined_block, ended_at is not null as has_ended,
  to_jsonb(t)::text as text from transactions t order by sequence`
/** Lanes that living processes hold. */
const HELD = `select address, process_id from transaction_lanes l join processes p on p.id = l.process_id
  where p.lease_until > `
const ATTEMPTS = `select transaction_id, hash, kind, nonce, max_fee_per_gas from transaction_attempts`

export class Properties {
  readonly #server: SerialServer
  readonly #chain: ModelChain
  readonly #finality: number
  readonly #trace: Trace
  #rows: RowFacts[] = []
  readonly #attempts = new Map<string, AttemptFacts>()
  readonly #ended = new Map<string, string>()

  constructor(server: SerialServer, chain: ModelChain, finality: number, trace: Trace) {
    this.#trace = trace
    this.#server = server
    this.#chain = chain
    this.#finality = finality
    server.onCommit = (client) => this.#afterCommit(client)
  }

  /** @throws {Violation} */
  #afterCommit(client: string): void {
    this.#rows = this.#server.rows(ROWS).map(rowFacts)
    for (const row of this.#server.rows(ATTEMPTS)) {
      const facts = attemptFacts(row)
      if (this.#attempts.has(facts.hash)) continue
      this.#traceAttempt(facts)
      this.#attempts.set(facts.hash, facts)
      this.#checkHolder(client, facts)
    }
    for (const row of this.#rows) this.#checkRow(row)
    for (const [address, lane] of Map.groupBy(this.#rows, (row) => row.address))
      this.#checkLane(address, lane)
  }

  /** @throws {Violation} if a transaction has two effects on the chain */
  afterBlock(): void {
    const mined = new Map<string, string>()
    for (const { receipts } of this.#chain.blocks)
      for (const { transaction } of receipts) {
        const attempt = this.#attempts.get(transaction.hash)
        if (!attempt) continue
        const other = mined.get(attempt.id)
        if (other !== undefined)
          throw new Violation(`${attempt.id} is mined twice: ${other} and ${transaction.hash}`)
        mined.set(attempt.id, transaction.hash)
      }
  }

  /** @throws {Violation} if a process sends bytes that are not stored */
  onBroadcast(hash: string): void {
    if (!this.#attempts.has(hash)) throw new Violation(`${hash} is sent before it is stored`)
  }

  get open(): string[] {
    return this.#rows
      .filter(({ hasEnded }) => !hasEnded)
      .map((row) => `${row.id}: ${row.state}, nonce ${row.nonce}, waits for ${row.waitingFor}`)
  }

  get haveAllEnded(): boolean {
    return this.#rows.every(({ hasEnded }) => hasEnded)
  }

  isForeign(hash: string): boolean {
    return !this.#attempts.has(hash)
  }

  #traceAttempt({ id, hash, kind, nonce, maxFee }: AttemptFacts): void {
    this.#trace.add(
      'stored',
      `${kind} ${hash.slice(0, 10)} of ${id} with nonce ${nonce}, at most ${maxFee}`,
    )
  }

  #checkHolder(client: string, { id, hash }: AttemptFacts): void {
    const { address } = this.#rows.find((row) => row.id === id)!
    const held = this.#server.rows(`${HELD}'${this.#server.now.toISOString()}'`)
    if (held.some((lane) => lane['address'] === address && lane['process_id'] === client)) return
    throw new Violation(`${hash} is recorded by ${client}, which does not hold ${address}`)
  }

  #checkRow(row: RowFacts): void {
    const { id, text, state, maxFee, nonce, address } = row
    const ended = this.#ended.get(id)
    if (ended !== undefined && ended !== text)
      throw new Violation(`${id} changed after it had ended: from ${ended} to ${text}`)
    if (row.hasEnded) {
      if (ended === undefined) this.#checkEnd(row)
      this.#ended.set(id, text)
    }
    if (state === 'final' && !row.hasEnded) throw new Violation(`${id} is final and has not ended`)
    const attempts = this.#attemptsOf(id)
    if (nonce === null && attempts.length > 0 && !row.hasEnded)
      throw new Violation(`${id} has attempts and no nonce`)
    for (const attempt of attempts) {
      if (maxFee !== null && attempt.maxFee > maxFee && attempt.kind !== 'cancel')
        throw new Violation(`${attempt.hash} of ${id} pays more than the ceiling`)
      if (attempt.nonce !== nonce && !this.#isUsedForEver(address, attempt.nonce))
        throw new Violation(
          `${id} has nonce ${nonce}, and its attempt with ${attempt.nonce} can still be mined`,
        )
    }
  }

  #checkEnd({ id, state, minedHash, minedBlock }: RowFacts): void {
    if (minedHash === null) {
      const known = this.#attemptsOf(id).filter(({ hash }) => this.#chain.receipt(hash))
      if (known.length > 0)
        throw new Violation(`${id} ended as ${state}, and ${known[0]!.hash} is mined`)
      return
    }
    const mined = this.#chain.receipt(minedHash)
    if (!mined || mined.block.number !== minedBlock)
      throw new Violation(`${id} ended in block ${minedBlock}, which does not contain ${minedHash}`)
    if (minedBlock > this.#chain.head.number - this.#finality)
      throw new Violation(`${id} ended in block ${minedBlock}, which is not final`)
  }

  /** True if a transaction that was signed elsewhere has used the nonce in a final block. */
  #isUsedForEver(address: string, nonce: number): boolean {
    return this.#chain.blocks.some(
      ({ number, receipts }) =>
        number <= this.#chain.head.number - this.#finality &&
        receipts.some(
          ({ transaction }) =>
            transaction.from === address &&
            transaction.nonce === nonce &&
            this.isForeign(transaction.hash),
        ),
    )
  }

  #checkLane(address: string, lane: readonly RowFacts[]): void {
    const inFlight = lane.filter(
      (row) => row.nonce !== null && row.minedHash === null && !row.hasEnded,
    )
    if (inFlight.length > IN_FLIGHT_MAX)
      throw new Violation(`${address} has ${inFlight.length} transactions in flight`)
    const hasForeign = [...this.#chain.seen.values()].some(
      ({ from, hash }) => from === address && this.isForeign(hash),
    )
    if (hasForeign) return
    let last = -1
    for (const { id, nonce } of lane) {
      if (nonce === null) continue
      if (nonce !== last + 1) throw new Violation(`${id} has nonce ${nonce}, after ${last}`)
      last = nonce
    }
  }

  #attemptsOf(id: string): AttemptFacts[] {
    return [...this.#attempts.values()].filter((attempt) => attempt.id === id)
  }
}

type Row = Record<string, string | null>

const rowFacts = (row: Row): RowFacts => ({
  id: row['id']!,
  address: row['address']!,
  nonce: row['nonce'] === null ? null : Number(row['nonce']),
  state: row['state']!,
  maxFee: row['max_fee_per_gas'] === null ? null : BigInt(row['max_fee_per_gas']!),
  waitingFor: row['waiting_for']!,
  minedHash: row['mined_hash']!,
  minedBlock: row['mined_block'] === null ? null : Number(row['mined_block']),
  hasEnded: row['has_ended'] === 't',
  text: row['text']!,
})

const attemptFacts = (row: Row): AttemptFacts => ({
  id: row['transaction_id']!,
  hash: row['hash']!,
  kind: row['kind']!,
  nonce: Number(row['nonce']),
  maxFee: BigInt(row['max_fee_per_gas']!),
})
