import { setTimeout as sleep } from 'node:timers/promises'
import { fromDatabase } from '../../db/unavailable.ts'
import { Lane, type LaneOptions } from './lane.ts'
import type { LiveWrite } from './live-write.ts'
import { ADMIN_PAYER, type Held, type PayerLeases } from './payer-leases.ts'

const START_POLL_MS = 200

export type PayerLanesOptions = Omit<LaneOptions, 'number' | 'privateKey'> & {
  leases: PayerLeases
  processId: string
  payerKey: (number: number) => string
  /** Highest number of the payers that send writes, which start at 1. */
  payers: number
  /** `start` waits this long for the leases of a killed process to expire. */
  startWaitMs: number
}

export class PayerLanes {
  readonly #options: PayerLanesOptions
  readonly #lanes = new Map<number, Lane>()
  #tending: Promise<void> | undefined

  constructor(options: PayerLanesOptions) {
    this.#options = options
  }

  /** If no payer is free, waits for one, but returns without a payer after a timeout. */
  async start(): Promise<void> {
    await this.#options.leases.ensure([ADMIN_PAYER, ...this.#numbers()])
    const began = performance.now()
    do {
      await this.tend()
      if (this.sending().length > 0) return
      await sleep(START_POLL_MS)
    } while (performance.now() - began < this.#options.startWaitMs)
  }

  all(): Lane[] {
    return [...this.#lanes.values()]
  }

  /** Payers with the fewest live writes come first. */
  sending(): Lane[] {
    const { payers } = this.#options
    return this.all()
      .filter((lane) => lane.held && lane.number !== ADMIN_PAYER && lane.number <= payers)
      .toSorted((one, other) => one.live.size - other.live.size)
  }

  admin(): Lane | undefined {
    const lane = this.#lanes.get(ADMIN_PAYER)
    return lane?.held ? lane : undefined
  }

  find(writeId: string): LiveWrite | undefined {
    for (const lane of this.#lanes.values()) {
      const write = lane.held ? lane.live.get(writeId) : undefined
      if (write) return write
    }
    return undefined
  }

  /** Renews leases, acquires free payers, drops lost ones, and hands payers over to processes that need one. */
  tend(): Promise<void> {
    this.#tending ??= fromDatabase(this.#tend()).finally(() => (this.#tending = undefined))
    return this.#tending
  }

  async close(): Promise<void> {
    await this.#tending?.catch(() => {})
    for (const lane of this.all()) this.#drop(lane)
    await this.#options.leases.release()
  }

  async #tend(): Promise<void> {
    const { leases, processId, outbox } = this.#options
    const held = await leases.renew()
    for (const lane of this.all())
      if (!lane.held || !held.some(({ number }) => number === lane.number)) this.#drop(lane)
    for (const { number } of held) await this.#add(number)

    const wanted = new Set([
      ADMIN_PAYER,
      ...this.#numbers(),
      ...(await outbox.payersWithUnsettled()),
    ])
    const missing = [...wanted].filter((number) => !this.#lanes.has(number))
    if (missing.length > 0) for (const number of await leases.take(missing)) await this.#add(number)
    if (this.sending().length === 0) await leases.ask(this.#numbers())
    for (const one of held)
      if (one.wantedBy !== null && one.wantedBy !== processId) await this.#handOver(one)
  }

  async #add(number: number): Promise<void> {
    if (this.#lanes.has(number)) return
    const { payerKey, ...options } = this.#options
    const lane = new Lane({ ...options, number, privateKey: payerKey(number) })
    await lane.recall()
    this.#lanes.set(number, lane)
  }

  async #handOver(held: Held): Promise<void> {
    const lane = this.#lanes.get(held.number)
    if (!lane || this.sending().length < 2) return
    await lane.inTurn(async () => {
      await this.#options.leases.handOver(held)
      this.#drop(lane)
    })
  }

  #drop(lane: Lane): void {
    lane.held = false
    this.#lanes.delete(lane.number)
    for (const write of lane.live.values()) write.changed()
  }

  #numbers(): number[] {
    return Array.from({ length: this.#options.payers }, (_, index) => index + 1)
  }
}
