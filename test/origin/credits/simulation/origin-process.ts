import { drizzle } from 'drizzle-orm/node-postgres'
import { Credits } from '../../../../origin/credits/credits.ts'
import { Payments } from '../../../../origin/credits/processor/payments.ts'
import type { Processor } from '../../../../origin/credits/processor/processor.ts'
import { pollPayments } from '../../../../origin/credits/processor/start-payments.ts'
import { type Repeat, maintainCredits } from '../../../../origin/credits/maintenance.ts'
import { connectionPool } from '../../../../origin/db/pool.ts'
import type { Database } from '../../../../origin/db/open.ts'
import * as schema from '../../../../origin/db/schema.ts'
import { clientOver, type Member, type Network, trouble } from './network.ts'

/** One origin process, limited to money: production code over a simulated network. */
export class OriginProcess implements Member {
  readonly name: string
  readonly id: string
  readonly db: Database
  readonly credits: Credits
  readonly payments: Payments
  alive = true
  stillUntil = 0
  killAtWrite: Member['killAtWrite']
  /** Offset of its wall clock. */
  clockOffMs: number
  endedAt = Number.POSITIVE_INFINITY
  readonly connections = new Set<() => void>()
  readonly #network: Network
  readonly #stopTending: () => void
  isClosing = false
  hasClosed = false
  /** End of the faults that were in progress when the process ended. */
  troubledUntil = 0

  constructor(
    network: Network,
    options: {
      name: string
      id: string
      clockOffMs: number
      epoch: number
      starterCents: number
      connections: number
      newId: () => string
      reach: (member: Member) => Processor
    },
  ) {
    this.#network = network
    this.name = options.name
    this.id = options.id
    this.clockOffMs = options.clockOffMs
    const { time, trace } = network
    const pool = connectionPool({
      Client: clientOver(network, this),
      max: options.connections,
      idleTimeoutMillis: 0,
      // pg would use a real timer, but time is simulated here.
      connectionTimeoutMillis: 0,
    })
    this.db = drizzle(pool, { schema })
    const startedAt = time.now
    const log = (event: string, about: object = {}) =>
      trace.add(this.name, `${event} ${JSON.stringify(about)}`)
    this.credits = new Credits({
      db: this.db,
      processId: this.id,
      starterCents: options.starterCents,
      now: () => Math.floor(options.epoch + time.now + this.clockOffMs),
      monotonic: () => time.now - startedAt,
      sleep: time.sleeper(this),
      newId: options.newId,
      log,
    })
    const now = () => Math.floor(options.epoch + time.now + this.clockOffMs)
    this.payments = new Payments({
      processor: options.reach(this),
      db: this.db,
      starterCents: options.starterCents,
      now,
      sleep: time.sleeper(this),
      log,
      onClawback: (accountHash) => this.credits.giveBack(accountHash),
    })
    const repeat: Repeat = (ms, act) => time.repeat(ms, act, this)
    const endCredits = maintainCredits(this.credits, log, repeat)
    const endPayments = pollPayments(this.payments, log, repeat)
    this.#stopTending = () => {
      endCredits()
      endPayments()
    }
  }

  kill = (why: string): void => {
    if (!this.alive) return
    this.#network.trace.add(this.name, `killed ${why}`)
    this.#end()
  }

  #end(): void {
    const { time, random } = this.#network
    this.alive = false
    this.endedAt = time.now
    this.troubledUntil = this.#network.troubledUntil
    trouble(this.#network, 300)
    // Statements in transit still arrive, and the server notices the closed connections with a delay.
    for (const end of this.connections) time.after(random.integer(0, 300), end)
  }

  /** Shuts down gracefully, as during a deployment. */
  async close(): Promise<void> {
    this.isClosing = true
    this.#network.trace.add(this.name, 'closes')
    this.#stopTending()
    await this.credits.close()
    this.#network.trace.add(this.name, 'closed')
    this.hasClosed = true
    this.#end()
  }
}
