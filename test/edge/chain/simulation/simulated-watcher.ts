/** The watcher of the simulation: a series of incarnations on one storage. */
import { BackfillRunner } from '../../../../edge/chain/backfill/backfill-runner.ts'
import { RangeSize } from '../../../../edge/chain/backfill/range-size.ts'
import type { Finality } from '../../../../edge/chain/finality.ts'
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import type {
  DeliveryResponse,
  LogDelivery,
  Subscription,
} from '../../../../edge/chain/subscription.ts'
import { ChainPoller } from '../../../../edge/chain/watch/chain-poller.ts'
import type { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../../doubles/chain-node/fetch-of.ts'
import type { Random } from '../../../origin/credits/simulation/random.ts'
import { kill, queueOf } from '../../app.ts'
import { Clock } from './clock.ts'
import { Life } from './life.ts'
import type { WatcherCall, WatcherCalls } from './watcher-calls.ts'
import { Witness } from './witness.ts'

type World = {
  storage: DurableObjectStorage
  nodes: readonly ChainNode[]
  calls: WatcherCalls
  random: Random
  note: (what: string) => void
}

type DeliveredBackfill = { generation: number; branch: string; isComplete: boolean }

export class SimulatedWatcher {
  readonly clock = new Clock()
  readonly #world: World
  readonly #nodes: Record<string, ChainNode>
  #life!: Life
  #watch!: ChainPoller
  #isCalm = false
  /** Calls that have not reached the watcher yet. */
  #calls: WatcherCall[] = []
  /** Errors from background work, which no caller can catch. */
  #thrown: unknown[] = []
  readonly #witness: Witness
  /** The last subscription of each trigger. */
  readonly #asked = new Map<string, Pick<Subscription, 'version' | 'finality'>>()
  readonly #backfills = new Map<string, DeliveredBackfill>()
  readonly objections: string[] = []

  constructor(world: World) {
    this.#world = world
    this.#witness = new Witness(world.nodes[0]!.chain)
    this.#nodes = Object.fromEntries(
      world.nodes.map((node, place) => [`https://node-${place}.example/`, node]),
    )
    this.#begin()
  }

  restart(): void {
    this.#life.kill()
    this.#begin()
    this.#world.note('restarted')
  }

  /** Kills the process at one of its next awaits. */
  killAfter(awaits: number): void {
    this.#life.killAfter(awaits)
  }

  /** Stops killing the process, and delaying or losing calls. */
  beCalm(): void {
    this.#isCalm = true
    this.restart()
  }

  /** Polls the chain once, and waits for the background work that follows. */
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

  /**
   * Returns the branch on which the trigger's backfill was last delivered, as the hash of the watcher's highest block
   * at that time.
   */
  backfillBranchOf(triggerId: string): string | undefined {
    return this.#backfills.get(triggerId)?.branch
  }

  status() {
    return this.#watch.status()
  }

  /**
   * Returns true if nothing that could be delivered now is pending.
   * @param lastFinal returns the last block that is final for a finality
   */
  isAtRest(lastFinal: (finality: Finality) => number): boolean {
    const { sql } = this.#world.storage
    const lanes = sql
      .exec<{ finality: string; next_block: number; to_block: number | null }>(
        'SELECT finality, next_block, to_block FROM lanes JOIN subscriptions USING (trigger_id)',
      )
      .toArray()
    const isOwed = lanes.some(({ finality, next_block, to_block }) => {
      const final = lastFinal(JSON.parse(finality) as Finality)
      return next_block <= Math.min(final, to_block ?? final)
    })
    const notices = sql.exec('SELECT 1 FROM notices').toArray()
    return !isOwed && notices.length === 0 && this.#calls.length === 0
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
      fetch: life.lived(async (url: string, init: RequestInit) => {
        const response = await network(url, init)
        const text = await response.text()
        this.#witness.hear(typeof init.body === 'string' ? init.body : '[]', text)
        return new Response(text, response)
      }),
      now,
      sleep,
      random: () => chances.fraction(),
      log,
    })
    const keepAlive = (work: Promise<unknown>) => {
      work.catch((error: unknown) => this.#thrown.push(error))
    }
    const watch: ChainPoller = new ChainPoller({
      storage,
      reader,
      size,
      deliver: life.lived((triggerId, delivery) => this.#tell(triggerId, delivery)),
      now,
      sleep,
      keepAlive,
      onBackfillDue: () => backfill.poke(),
      onBackfillReplaced: () => backfill.discardBuffered(),
      log,
    })
    const backfill = new BackfillRunner({
      chain: reader,
      source: watch.backfillSource,
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

  /** Delivers the calls of triggers, some of them late. */
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
    if (call.ask === 'watch') {
      const { subscription } = call
      const { version = -1 } = this.#asked.get(subscription.triggerId) ?? {}
      if (subscription.version >= version) this.#asked.set(subscription.triggerId, subscription)
      this.#watch.subscribe(subscription)
    } else if (call.ask === 'unwatch') this.#watch.unsubscribe(call.triggerId, call.version)
    else this.#watch.roomFor(call.triggerId)
  }

  /**
   * Calls the trigger's object. The call or its response may be lost, and the object may be killed before the call or
   * after its response.
   */
  async #tell(triggerId: string, delivery: LogDelivery): Promise<DeliveryResponse> {
    const { random } = this.#world
    const branch = this.#branch()
    const { finality } = this.#asked.get(triggerId)!
    this.objections.push(
      ...this.#witness
        .objections(finality, delivery)
        .map((objection) => `${triggerId}: ${objection}`),
    )
    const fate = this.#isCalm ? 1 : random.fraction()
    if (fate < 0.04) throw new Error('the call is lost')
    if (fate < 0.06) await kill(triggerId)
    const answer = await queueOf(triggerId).deliverLogs(delivery)
    if (answer.state === 'taken') this.#delivered(triggerId, delivery, branch)
    if (fate >= 0.04 && fate < 0.09) await kill(triggerId)
    if (fate >= 0.08 && fate < 0.12) throw new Error('the answer is lost')
    return answer
  }

  /** After a reorg rewinds a complete backfill, only the delivery that completes it again is recorded. */
  #delivered(triggerId: string, delivery: LogDelivery, branch: string): void {
    const { lane, generation, backfillAt } = delivery
    if (lane !== 'backfill') return
    const known = this.#backfills.get(triggerId)
    const wasComplete = known?.generation === generation && known.isComplete
    const isComplete = backfillAt === null
    if (isComplete || !wasComplete)
      this.#backfills.set(triggerId, { generation, branch, isComplete })
  }

  /**
   * Returns the hash of the highest block that the watcher follows. If it stores no blocks, all that it read is final.
   */
  #branch(): string {
    const [kept] = this.#world.storage.sql
      .exec<{ hash: string }>('SELECT hash FROM blocks ORDER BY number DESC LIMIT 1')
      .toArray()
    return kept?.hash ?? this.#world.nodes[0]!.chain.head.hash
  }
}
