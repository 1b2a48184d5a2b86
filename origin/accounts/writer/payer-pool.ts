import { setTimeout as sleep } from 'node:timers/promises'
import { fromDatabase } from '../../db/database-unavailable.ts'
import { GasPayer, type GasPayerOptions } from './gas-payer.ts'
import type { LiveWrite } from './live-write.ts'
import { ADMIN_PAYER, type HeldPayer, type PayerLeases } from './payer-leases.ts'

const START_POLL_MS = 200

type PayerPoolOptions = Omit<GasPayerOptions, 'number' | 'privateKey'> & {
  leases: PayerLeases
  processId: string
  payerKey: (number: number) => string
  payers: number
  /** Maximum time for which `start` waits for the leases of a killed process to expire. */
  startWaitMs: number
}

export class PayerPool {
  readonly #options: PayerPoolOptions
  readonly #payers = new Map<number, GasPayer>()
  #maintaining: Promise<void> | undefined

  constructor(options: PayerPoolOptions) {
    this.#options = options
  }

  /** Acquires payers. If no payer is free, waits for one, but returns without a payer after a timeout. */
  async start(): Promise<void> {
    await this.#options.leases.createMissing([ADMIN_PAYER, ...this.#numbers()])
    const began = performance.now()
    do {
      await this.maintain()
      if (this.available().length > 0) return
      await sleep(START_POLL_MS)
    } while (performance.now() - began < this.#options.startWaitMs)
  }

  all(): GasPayer[] {
    return [...this.#payers.values()]
  }

  /** Returns the payers that can send writes, with those that have the fewest live writes first. */
  available(): GasPayer[] {
    const { payers } = this.#options
    return this.all()
      .filter((payer) => payer.held && payer.number !== ADMIN_PAYER && payer.number <= payers)
      .toSorted((one, other) => one.live.size - other.live.size)
  }

  admin(): GasPayer | undefined {
    const payer = this.#payers.get(ADMIN_PAYER)
    return payer?.held ? payer : undefined
  }

  find(writeId: string): LiveWrite | undefined {
    for (const payer of this.#payers.values()) {
      const write = payer.held ? payer.live.get(writeId) : undefined
      if (write) return write
    }
    return undefined
  }

  /** Renews leases, acquires free payers, and hands payers over to processes that need one. */
  maintain(): Promise<void> {
    this.#maintaining ??= fromDatabase(this.#maintain()).finally(
      () => (this.#maintaining = undefined),
    )
    return this.#maintaining
  }

  async close(): Promise<void> {
    await this.#maintaining?.catch(() => {})
    for (const payer of this.all()) this.#drop(payer)
    await this.#options.leases.release()
  }

  async #maintain(): Promise<void> {
    const { leases, processId, outbox } = this.#options
    const held = await leases.renew()
    for (const payer of this.all())
      if (!payer.held || !held.some(({ number }) => number === payer.number)) this.#drop(payer)
    for (const { number } of held) await this.#add(number)

    const wanted = new Set([
      ADMIN_PAYER,
      ...this.#numbers(),
      ...(await outbox.payersWithUnsettled()),
    ])
    const missing = [...wanted].filter((number) => !this.#payers.has(number))
    if (missing.length > 0)
      for (const number of await leases.acquire(missing)) await this.#add(number)
    if (this.available().length === 0) await leases.requestHandover(this.#numbers())
    for (const one of held)
      if (one.wantedBy !== null && one.wantedBy !== processId) await this.#handOver(one)
  }

  async #add(number: number): Promise<void> {
    if (this.#payers.has(number)) return
    const { payerKey, ...options } = this.#options
    const payer = new GasPayer({ ...options, number, privateKey: payerKey(number) })
    await payer.reload()
    this.#payers.set(number, payer)
  }

  async #handOver(held: HeldPayer): Promise<void> {
    const payer = this.#payers.get(held.number)
    if (!payer || this.available().length < 2) return
    await payer.runExclusive(async () => {
      await this.#options.leases.handOver(held)
      this.#drop(payer)
    })
  }

  #drop(payer: GasPayer): void {
    payer.held = false
    this.#payers.delete(payer.number)
    for (const write of payer.live.values()) write.notifyChanged()
  }

  #numbers(): number[] {
    return Array.from({ length: this.#options.payers }, (_, index) => index + 1)
  }
}
