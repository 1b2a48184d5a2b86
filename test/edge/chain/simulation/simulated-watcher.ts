/** The watcher of the simulation: one life of it after another, on one storage. */
import { BackfillRunner } from '../../../../edge/chain/backfill/backfill-runner.ts'
import { RangeSize } from '../../../../edge/chain/backfill/range-size.ts'
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import type { DeliveryAnswer, LogDelivery } from '../../../../edge/chain/subscription.ts'
import { Watch } from '../../../../edge/chain/watch/watch.ts'
import type { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../../doubles/chain-node/fetch-of.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'
import { queueOf } from '../../app.ts'
import { Clock } from './clock.ts'
import { Life } from './life.ts'
import type { WatcherCall, WatcherCalls } from './watcher-calls.ts'

type World = {
  storage: DurableObjectStorage
  nodes: readonly ChainNode[]
  calls: WatcherCalls
  random: Random
  note: (what: string) => void
}

export class SimulatedWatcher {
  readonly clock = new Clock()
  readonly #world: World
  readonly #nodes: Record<string, ChainNode>
  #life!: Life
  #watch!: Watch
  #isCalm = false
  /** Calls that have not reached it yet. */
  #calls: WatcherCall[] = []
  /** What was thrown where nobody could catch it. */
  #thrown: unknown[] = []

  constructor(world: World) {
    this.#world = world
    this.#nodes = Object.fromEntries(
      world.nodes.map((node, place) => [`https://node-${place}.example/`, node]),
    )
    this.#begin()
  }

  /** The process ends, and another one begins. */
  restart(): void {
    this.#life.kill()
    this.#begin()
    this.#world.note('restarted')
  }

  /** It ends at one of its next awaits. */
  killAfter(awaits: number): void {
    this.#life.killAfter(awaits)
  }

  /** No more kills, and no call is late or lost. */
  beCalm(): void {
    this.#isCalm = true
    this.restart()
  }

  /** One look at the chain, and what goes on by itself after it. */
  async look(): Promise<void> {
    this.#take()
    const life = this.#life
    await life.through(
      () => this.#watch.poll(),
      () => this.clock.wakeNext(),
    )
    await life.settle()
    if (this.#thrown.length > 0) throw this.#thrown[0]
    if (!life.isOver) return
    this.#begin()
    this.#world.note('killed, and begun again')
  }

  status() {
    return this.#watch.status()
  }

  /** Whether nobody is owed anything that can be told now. */
  isAtRest(): boolean {
    const { sql } = this.#world.storage
    const owed = sql.exec('SELECT 1 FROM lanes UNION ALL SELECT 1 FROM notices').toArray()
    return owed.length === 0 && this.#calls.length === 0
  }

  #begin(): void {
    this.clock.forget()
    const { storage, random, nodes } = this.#world
    const life = new Life()
    const { now, sleep } = this.clock
    const chances = random.stream()
    const size = new RangeSize()
    const log = () => {}
    const network = fetchOf(this.#nodes)
    const reader = new HttpChainReader({
      endpoints: Object.keys(this.#nodes),
      chainId: nodes[0]!.chain.chainId,
      fetch: life.lived((url: string, init: RequestInit) => network(url, init)),
      now,
      sleep,
      random: () => chances.fraction(),
      log,
    })
    const keepAlive = (work: Promise<unknown>) => {
      work.catch((error: unknown) => this.#thrown.push(error))
    }
    const watch: Watch = new Watch({
      storage,
      reader,
      size,
      tell: life.lived((triggerId, delivery) => this.#tell(triggerId, delivery)),
      now,
      sleep,
      keepAlive,
      stretchesDue: () => backfill.poke(),
      stretchesReplaced: () => backfill.forget(),
      log,
    })
    const backfill = new BackfillRunner({
      chain: reader,
      stretches: watch.stretches,
      size,
      now,
      random: () => chances.fraction(),
      sleep,
      keepAlive,
      log,
    })
    this.#life = life
    this.#watch = watch
    backfill.poke()
  }

  /** Calls of triggers arrive, some of them later. */
  #take(): void {
    const { calls, random } = this.#world
    this.#calls.push(...calls.take())
    const late: WatcherCall[] = []
    for (const call of this.#calls) {
      const isLate = !this.#isCalm && random.chance(0.2)
      if (isLate && call.ask !== 'roomFor') late.push(call)
      else if (!isLate) this.#arrive(call)
    }
    this.#calls = late
  }

  #arrive(call: WatcherCall): void {
    if (call.ask === 'watch') this.#watch.watch(call.subscription)
    else if (call.ask === 'unwatch') this.#watch.unwatch(call.triggerId, call.version)
    else this.#watch.roomFor(call.triggerId)
  }

  /** Its object is asked, unless the call, or its answer, is lost. */
  async #tell(triggerId: string, delivery: LogDelivery): Promise<DeliveryAnswer> {
    const { random } = this.#world
    const fate = this.#isCalm ? 1 : random.fraction()
    if (fate < 0.04) throw new Error('the call is lost')
    const answer = await queueOf(triggerId).deliverLogs(delivery)
    if (fate < 0.08) throw new Error('the answer is lost')
    return answer
  }
}
