/** The watcher of the simulation: one life of it after another, on one storage. */
import { BackfillRunner } from '../../../../edge/chain/backfill/backfill-runner.ts'
import { RangeSize } from '../../../../edge/chain/backfill/range-size.ts'
import type { Finality } from '../../../../edge/chain/finality.ts'
import { HttpChainReader } from '../../../../edge/chain/rpc/http-chain-reader.ts'
import type {
  DeliveryAnswer,
  LogDelivery,
  Subscription,
} from '../../../../edge/chain/subscription.ts'
import { Watch } from '../../../../edge/chain/watch/watch.ts'
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
  #watch!: Watch
  #isCalm = false
  /** Calls that have not reached it yet. */
  #calls: WatcherCall[] = []
  /** What was thrown where nobody could catch it. */
  #thrown: unknown[] = []
  readonly #witness: Witness
  /** What it was last asked for, by trigger. */
  readonly #asked = new Map<string, Pick<Subscription, 'version' | 'finality'>>()
  readonly #backfills = new Map<string, DeliveredBackfill>()
  /** What the witness objected to. */
  readonly objections: string[] = []

  constructor(world: World) {
    this.#world = world
    this.#witness = new Witness(world.nodes[0]!.chain)
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

  /** The branch on which this trigger's backfill was delivered, by the hash of the watcher's highest block then. */
  backfillBranchOf(triggerId: string): string | undefined {
    return this.#backfills.get(triggerId)?.branch
  }

  status() {
    return this.#watch.status()
  }

  /**
   * Whether nobody is owed anything that can be told now.
   * @param lastFinal the last block that is final by a finality
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
    if (call.ask === 'watch') {
      const { subscription } = call
      const { version = -1 } = this.#asked.get(subscription.triggerId) ?? {}
      if (subscription.version >= version) this.#asked.set(subscription.triggerId, subscription)
      this.#watch.watch(subscription)
    } else if (call.ask === 'unwatch') this.#watch.unwatch(call.triggerId, call.version)
    else this.#watch.roomFor(call.triggerId)
  }

  /** Its object is asked, unless the call, or its answer, is lost; or it is killed, before it is asked or when it has answered. */
  async #tell(triggerId: string, delivery: LogDelivery): Promise<DeliveryAnswer> {
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

  /** A complete backfill that a reorganisation has sent back counts again once it is complete again. */
  #delivered(triggerId: string, delivery: LogDelivery, branch: string): void {
    const { lane, generation, backfillAt } = delivery
    if (lane !== 'backfill') return
    const known = this.#backfills.get(triggerId)
    const wasComplete = known?.generation === generation && known.isComplete
    const isComplete = backfillAt === null
    if (isComplete || !wasComplete)
      this.#backfills.set(triggerId, { generation, branch, isComplete })
  }

  /** The hash of the highest block that the watcher follows. If it keeps none, all that it read is settled. */
  #branch(): string {
    const [kept] = this.#world.storage.sql
      .exec<{ hash: string }>('SELECT hash FROM blocks ORDER BY number DESC LIMIT 1')
      .toArray()
    return kept?.hash ?? this.#world.nodes[0]!.chain.head.hash
  }
}
