import { PeriodicTask } from '../accounts/writer/periodic-task.ts'
import { fromDatabase } from '../db/database-unavailable.ts'
import { errorTrace, type OriginLog } from '../log.ts'
import type { WaitingReason } from '../../shared/wire/transaction-states.ts'
import { FeeMarket } from './fees.ts'
import { type Demand, type HeadChange, HeadTracker } from './head-tracker.ts'
import { Lane } from './lane.ts'
import { HEAD_MAX_AGE_MS, type LaneContext } from './lane-context.ts'
import { type LaneId, type LaneLeases, laneKey } from './lane-leases.ts'
import type { TransactionStore } from './store.ts'
import type {
  ChainTransactions,
  TransactionChain,
  TransactionChains,
  TransactionSigner,
} from './types.ts'

const MAINTENANCE_MS = 1_000
/** Time after which a lane without transactions is released. */
const IDLE_MS = 600_000

type LanePoolOptions = {
  chains: TransactionChains
  signer: TransactionSigner
  store: TransactionStore
  leases: LaneLeases
  log: OriginLog
  now: () => number
  monotonic: () => number
  newId: () => string
  onSaved: (id: string) => void
}

type ChainParts = Pick<LaneContext, 'chain' | 'heads' | 'market'>

/** The lanes that this process holds. */
export class LanePool {
  readonly #options: LanePoolOptions
  readonly #lanes = new Map<string, Lane>()
  readonly #chains = new Map<number, ChainParts>()
  readonly #acquiring = new Map<string, Promise<Lane | undefined>>()
  readonly #maintenance: PeriodicTask
  #isClosed = false
  /**
   * True if this process may hold lanes without knowing it: the response to an acquisition was lost, or the lease of the
   * process had ended for a while, and nobody has taken its lanes.
   */
  #mayHoldUnknown = false

  constructor(options: LanePoolOptions) {
    this.#options = options
    this.#maintenance = new PeriodicTask(MAINTENANCE_MS, () => this.#maintain())
  }

  start(): void {
    this.#maintenance.start()
  }

  /** Another process may have changed transactions in lanes of this process. */
  checkNow(): void {
    this.#maintenance.runNow()
  }

  /** Stops all lanes, and releases them. Their transactions are continued by other processes. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#maintenance.close()
    await Promise.all([...this.#lanes.values()].map((lane) => lane.close()))
    await Promise.all([...this.#chains.values()].map(({ heads }) => heads.close()))
    this.#lanes.clear()
    await this.#options.leases.releaseAll()
  }

  get(id: LaneId): Lane | undefined {
    return this.#lanes.get(laneKey(id))
  }

  /**
   * Returns the lane, and acquires it if no process holds it.
   * @returns undefined if another process holds it
   * @throws {DatabaseUnavailableError}
   */
  acquire(id: LaneId): Promise<Lane | undefined> {
    const key = laneKey(id)
    const known = this.#lanes.get(key)
    if (known) return Promise.resolve(known)
    const pending = this.#acquiring.get(key)
    if (pending) return pending
    const acquired = fromDatabase(this.#tracked(this.#options.leases.acquire(id)))
      .then((isHeld) => (isHeld ? this.#add(id) : undefined))
      .finally(() => this.#acquiring.delete(key))
    this.#acquiring.set(key, acquired)
    return acquired
  }

  status(): ChainTransactions[] {
    return this.#options.chains.all().map(({ chainId }) => {
      const oldestUnmined = new Map<WaitingReason | null, number>()
      let [open, lowBalanceWallets] = [0, 0]
      for (const lane of this.#lanesOn(chainId)) {
        open += lane.openCount ?? 0
        if (lane.isLow) lowBalanceWallets++
        for (const { reason, since } of lane.waiting())
          oldestUnmined.set(reason, Math.min(since, oldestUnmined.get(reason) ?? since))
      }
      return { chainId, open, oldestUnmined, lowBalanceWallets }
    })
  }

  #tracked<T>(acquisition: Promise<T>): Promise<T> {
    return acquisition.catch((error) => {
      this.#mayHoldUnknown = true
      throw error
    })
  }

  #add(id: LaneId): Lane | undefined {
    const known = this.get(id)
    const chain = this.#options.chains.byId(id.chainId)
    if (known || !chain || this.#isClosed) return known
    const { store, signer, log, now, monotonic, newId, onSaved } = this.#options
    const lane: Lane = new Lane(id, {
      ...this.#partsOf(chain),
      store,
      signer,
      log,
      now,
      monotonic,
      newId,
      onSaved,
      onLost: () => {
        this.#mayHoldUnknown = true
        this.#drop(lane)
      },
    })
    this.#lanes.set(laneKey(id), lane)
    lane.wake()
    return lane
  }

  #drop(lane: Lane): void {
    if (this.get(lane.id) === lane) this.#lanes.delete(laneKey(lane.id))
    void lane.close()
  }

  #partsOf(chain: TransactionChain): ChainParts {
    const known = this.#chains.get(chain.chainId)
    if (known) return known
    const { monotonic, log } = this.#options
    const { provider, pollMs, chainId } = chain
    const heads = new HeadTracker({
      provider,
      pollMs,
      monotonic,
      demand: () => this.#demand(chainId),
      onChange: (change) => this.#onHead(chainId, change),
      onFailure: (error) =>
        log('transactions.unavailable', { chain: chain.name, cause: errorTrace(error) }),
    })
    const market = new FeeMarket({
      provider,
      monotonic,
      baseFee: async () => (await heads.current(HEAD_MAX_AGE_MS)).baseFee,
    })
    const parts = { chain, heads, market }
    this.#chains.set(chainId, parts)
    return parts
  }

  #demand(chainId: number): Demand {
    const demand = { unminedLanes: 0, hasMined: false }
    for (const lane of this.#lanesOn(chainId)) {
      if (lane.hasUnmined) demand.unminedLanes++
      demand.hasMined ||= lane.hasMined
    }
    return demand
  }

  #onHead(chainId: number, change: HeadChange): void {
    const included = new Set(change.head.transactions)
    for (const lane of this.#lanesOn(chainId)) lane.onHead(change, included)
  }

  *#lanesOn(chainId: number): Generator<Lane> {
    for (const lane of this.#lanes.values()) if (lane.id.chainId === chainId) yield lane
  }

  async #maintain(): Promise<void> {
    if (this.#isClosed) return
    const { leases, store, chains, log } = this.#options
    const chainIds = chains.all().map(({ chainId }) => chainId)
    try {
      for (const id of await this.#tracked(leases.acquireAbandoned(chainIds))) {
        // This process had lost the lane without noticing, so what it knows may be outdated.
        const outdated = this.get(id)
        if (outdated) this.#drop(outdated)
        this.#add(id)
      }
      if (this.#mayHoldUnknown) {
        const held = await leases.held(chainIds)
        this.#mayHoldUnknown = false
        for (const id of held) this.#add(id)
      }
      const work = await store.work(chainIds)
      const unknown = work.filter((one) => this.get(one)?.applyChange(one.id, one) === false)
      for (const row of await store.rowsOf(unknown.map(({ id }) => id))) this.get(row)?.apply(row)
      for (const lane of this.#lanes.values())
        if (lane.idleMs > IDLE_MS) {
          this.#drop(lane)
          await leases.release(lane.id)
        }
    } catch (error) {
      log('transactions.unavailable', { cause: errorTrace(error) })
    }
    for (const lane of this.#lanes.values()) lane.tick()
  }
}
