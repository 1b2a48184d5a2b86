import { CREDIT_LEASE_MS } from '../../../../origin/credits/credits.ts'
import { FLUSH_MS } from '../../../../origin/credits/maintenance.ts'
import { AUDIT, auditOf, Books } from './books.ts'
import { type Climate, climateOf } from './climate.ts'
import { Clients } from './clients.ts'
import { CALM, type Network } from './network.ts'
import { Payers } from './payers.ts'
import { SimulatedProcessor } from './processor.ts'
import { OriginProcess } from './origin-process.ts'
import { Random } from './random.ts'
import { type Operation, Reference } from './reference.ts'
import { Server } from './server.ts'
import type { SyncConnection } from './sync-connection.ts'
import { Trace, Violation } from './trace.ts'
import { VirtualTime } from './virtual-time.ts'

/** 2026-11-22T23:59:57Z, so that midnight passes during some simulations. */
const EPOCH = Date.UTC(2026, 10, 22, 23, 59, 57)

/**
 * Every operation must finish within this time after the last fault: two lease durations. In a wild climate, the lease of
 * a killed process whose clock was a minute ahead lasts two minutes longer for a process whose clock is a minute behind.
 */
const PATIENCE_MS = 60_000
const WILD_PATIENCE_MS = PATIENCE_MS + 2 * 60_000

/**
 * A charge is in the ledger this long after it was made or after the last disturbance, whichever is later: one flush
 * interval and the time of the order. A process that is killed sooner may lose the charge.
 */
const SETTLED_MS = FLUSH_MS + 100

const HOUR_MS = 3_600_000
const SWEEPS_MS = [60_000, HOUR_MS, HOUR_MS, 12 * HOUR_MS, 30 * 24 * HOUR_MS, 30 * 24 * HOUR_MS]

/** Number of played simulations. It makes the row names of each unique, so that many can share a database. */
let played = 0

export type Played = { seed: number; climate: Climate; trace: Trace; violation: Error | undefined }

export async function simulate(
  connection: SyncConnection,
  seed: number,
  sabotage?: (text: string) => string,
): Promise<Played> {
  const random = new Random(seed)
  const climate = climateOf(seed, random.stream())
  const time = new VirtualTime()
  const trace = new Trace(() => time.now)
  const run = new Run(connection, random, climate, time, trace, sabotage)
  try {
    await run.play()
    return { seed, climate, trace, violation: undefined }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    trace.add('', error.message)
    return { seed, climate, trace, violation: error }
  }
}

class Run {
  readonly #prefix: string
  readonly #ids: Random
  readonly #plan: Random
  readonly #climate: Climate
  readonly #network: Network
  readonly #reference: Reference
  readonly #books: Books
  readonly #clients: Clients
  readonly #processor: SimulatedProcessor
  readonly #time: VirtualTime
  readonly #trace: Trace
  #processes: OriginProcess[] = []
  #incarnations = 0
  #failure: Error | undefined
  #isEnding = false

  constructor(
    connection: SyncConnection,
    random: Random,
    climate: Climate,
    time: VirtualTime,
    trace: Trace,
    sabotage: Network['sabotage'],
  ) {
    // With the one letter of an account, a hash of 32 bytes.
    this.#prefix = `0x${(++played).toString(16).padStart(63, '0')}`
    this.#ids = random.stream()
    this.#plan = random.stream()
    this.#climate = climate
    this.#time = time
    this.#trace = trace
    const server = new Server(connection)
    server.prepare(AUDIT)
    const { weather } = climate
    this.#network = {
      time,
      server,
      random: random.stream(),
      trace,
      weather,
      troubledUntil: 0,
      sabotage,
    }
    this.#reference = new Reference(server, this.#prefix, climate.name === 'wild')
    this.#books = new Books(
      this.#prefix,
      (id) => this.#processes.some((process) => process.id === id && process.alive),
      (account, cents) => this.#reference.freed(account, cents),
    )
    server.audit = { query: auditOf(this.#prefix), look: (rows) => this.#books.look(rows) }
    const hashOf = (account: string) => this.#prefix + account
    const fail = (error: Error) => void (this.#failure ??= error)
    this.#processor = new SimulatedProcessor(this.#network, random.stream(), this.#prefix, (id) =>
      payers.hear(id),
    )
    const payers = new Payers({
      time,
      trace,
      random: random.stream(),
      reference: this.#reference,
      server,
      processor: this.#processor,
      hashOf,
      anyProcess: () => {
        const serving = this.#processes.filter(({ alive, isClosing }) => alive && !isClosing)
        return serving.length > 0 ? this.#plan.pick(serving) : undefined
      },
      fail,
    })
    this.#clients = new Clients({
      time,
      trace,
      random: random.stream(),
      reference: this.#reference,
      hashOf,
      isCalm: climate.name === 'calm',
      payers,
      isKnown: (account) => this.#books.knows(account),
      fail,
    })
  }

  async play(): Promise<void> {
    const climate = this.#climate
    this.#trace.add('', JSON.stringify(climate))
    for (let index = 0; index < climate.processes; index++) this.#start(index)
    if (climate.killAtWrite) this.#processes[0]!.killAtWrite = { ...climate.killAtWrite }
    this.#planOperations()
    this.#planDisturbances()
    await this.#run(climate.durationMs)
    await this.#calmDown()
    this.#checkCharges()
    await this.#end()
  }

  #start(index: number): OriginProcess {
    const { clocksOffMs } = this.#climate
    const incarnation = ++this.#incarnations
    const process = new OriginProcess(this.#network, {
      name: `p${index + 1}${incarnation > this.#climate.processes ? `.${incarnation}` : ''}`,
      id: `${this.#prefix}${incarnation}`,
      clockOffMs: this.#plan.integer(-clocksOffMs, clocksOffMs),
      epoch: EPOCH,
      starterCents: this.#clients.starterCents,
      reach: (member) => this.#processor.reachedBy(member),
      connections: this.#climate.connections,
      newId: () => `${this.#prefix}${this.#ids.hex(6)}`,
    })
    this.#processes[index] = process
    return process
  }

  #planOperations(): void {
    const { operations, durationMs } = this.#climate
    for (let index = 0; index < operations; index++)
      this.#time.after(this.#plan.fraction() * durationMs, () => {
        const serving = this.#processes.filter((process) => process.alive && !process.isClosing)
        if (serving.length > 0) this.#clients.act(this.#plan.pick(serving))
      })
  }

  #planDisturbances(): void {
    const { kills, closes, pauses, clockJumps } = this.#climate
    this.#sometimes(kills, (process) => process.kill('by its machine'))
    this.#sometimes(closes, (process) => void this.#close(process))
    this.#sometimes(pauses, (process) => {
      process.stillUntil = this.#time.now + this.#plan.integer(500, 45_000)
      this.#trace.add(process.name, `stands still until ${(process.stillUntil / 1000).toFixed(4)}`)
    })
    this.#sometimes(clockJumps, (process) => {
      process.clockOffMs = this.#plan.integer(-60_000, 60_000)
      this.#trace.add(process.name, `has its clock off by ${process.clockOffMs} ms`)
    })
    // Restarts processes that were killed.
    const restart = () => {
      if (this.#isEnding) return
      this.#processes.forEach((process, index) => {
        if (!process.alive && this.#time.now - process.endedAt > 200 && this.#plan.chance(0.3))
          this.#start(index)
      })
      this.#time.after(150, restart)
    }
    this.#time.after(150, restart)
  }

  #sometimes(times: number, act: (process: OriginProcess) => void): void {
    for (let count = 0; count < times; count++)
      this.#time.after(this.#plan.fraction() * this.#climate.durationMs, () => {
        const serving = this.#processes.filter((process) => process.alive && !process.isClosing)
        if (serving.length > 0) act(this.#plan.pick(serving))
      })
  }

  async #close(process: OriginProcess): Promise<void> {
    if (process.isClosing) return
    process.isClosing = true
    while (this.#clients.isServedBy(process)) await this.#time.sleeper(process)(20)
    await process.close()
  }

  /** Stops all faults. Live processes must then finish, and settle the charges that they reported to clients. */
  async #calmDown(): Promise<void> {
    this.#network.weather = CALM
    for (const process of this.#processes) {
      process.killAtWrite = undefined
      process.stillUntil = Math.min(process.stillUntil, this.#time.now)
    }
    this.#trace.add('', 'the weather is calm')
    const waiting = () =>
      this.#processes.some((process) => process.alive && this.#clients.isServedBy(process))
    const patienceMs = this.#climate.name === 'wild' ? WILD_PATIENCE_MS : PATIENCE_MS
    await this.#run(this.#time.now + patienceMs, () => !waiting())
    if (waiting()) throw new Violation('an operation does not come to an end')
    await this.#run(Math.max(this.#time.now, this.#network.troubledUntil) + SETTLED_MS)
  }

  /** Checks, by subject, that each operation was charged the amount reported to its client. */
  #checkCharges(): void {
    for (const account of this.#clients.accounts) {
      const charged = this.#reference.charged(account)
      const bySubject = Map.groupBy(
        this.#reference.operations.filter((one) => one.account === account),
        ({ subject }) => subject,
      )
      for (const [subject, operations] of bySubject) {
        const cents = charged.get(subject) ?? 0
        charged.delete(subject)
        const told = operations.reduce((sum, one) => sum + one.settledCents, 0)
        if (cents > told)
          throw new Violation(`${cents} cents were charged for ${subject} instead of ${told}`)
        const certain = operations.filter((one) => !this.#mayBeLost(one))
        const least = certain.reduce((sum, one) => sum + one.settledCents, 0)
        if (cents < least)
          throw new Violation(
            `${cents} cents were charged for ${subject} instead of ${told}, of which ${least} are certain`,
          )
      }
      for (const [subject, cents] of charged)
        throw new Violation(`${cents} cents were charged for ${subject}, which nobody asked for`)
    }
  }

  /**
   * True if a reported charge may be missing in the ledger, because its process was killed before it could settle it.
   */
  #mayBeLost({ process, settledAt }: Operation): boolean {
    if (this.#climate.name === 'wild') return true
    if (process.alive || process.hasClosed) return false
    // The first settlement after the last fault must have written it to the ledger.
    return process.endedAt - Math.max(settledAt, process.troubledUntil) <= SETTLED_MS
  }

  /** Ends all processes. Everything that they held must be returned. */
  async #end(): Promise<void> {
    this.#isEnding = true
    for (const process of this.#processes)
      if (process.alive && this.#plan.chance(0.5)) await this.#through(this.#close(process))
      else process.kill('at the end')
    await this.#run(this.#time.now + 500)
    await this.#run(this.#time.now + 2 * CREDIT_LEASE_MS + 65_000)
    const last = this.#start(this.#processes.length)
    last.clockOffMs = 0
    await this.#through(last.credits.renew())
    await this.#sweep(last)
    for (const account of this.#clients.accounts) {
      const { balance, leased, debt } = this.#books.of(account)
      const charged = this.#reference.charged(account)
      const spent = [...charged.values()].reduce((sum, cents) => sum + cents, 0)
      const net = this.#clients.starterOf(account) + this.#processor.netOf(this.#prefix + account)
      if (balance - debt !== net - spent)
        throw new Violation(
          `account ${account} has ${balance - debt} cents in the end, and should have ${net - spent}`,
        )
      if (leased > 0) throw new Violation(`${leased} cents of account ${account} stay leased`)
      await this.#through(this.#clients.spendsAll(last, account, balance))
    }
    last.kill('at last')
  }

  /** Finds by polling what no event reported, after a month at the latest. */
  async #sweep(process: OriginProcess): Promise<void> {
    for (const ms of SWEEPS_MS) {
      process.clockOffMs += ms
      await this.#through(process.payments.pollDue())
      await this.#through(process.payments.pollDue())
    }
  }

  async #run(until: number, isDone: () => boolean = () => false): Promise<void> {
    await this.#time.run(until, () => {
      if (this.#failure) throw this.#failure
      this.#reference.judge()
      return isDone()
    })
  }

  /** Runs until the promise settles, for at most `PATIENCE_MS`. */
  async #through<Result>(promise: Promise<Result>): Promise<Result> {
    let isOver = false
    const over = () => void (isOver = true)
    promise.then(over, over)
    await this.#run(this.#time.now + PATIENCE_MS, () => isOver)
    if (!isOver) throw new Violation('something does not come to an end')
    return promise
  }
}
