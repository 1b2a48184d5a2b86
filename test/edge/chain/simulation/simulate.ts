/** Plays one seed: a chain, its endpoints, a watcher that gets killed, and triggers. */
import { detailsOf } from '../../../doubles/chain-node/scripted-block.ts'
import { ChainNode } from '../../../doubles/chain-node/chain-node.ts'
import { ScriptedChain } from '../../../doubles/chain-node/scripted-chain.ts'
import { Random } from '../../../origin/credits/simulation/random.ts'
import type { Owner } from '../../app.ts'
import { ChainHistory, type ChainEvent, type ExpectedFilter } from './chain-history.ts'
import { Traffic } from './contracts.ts'
import { judge, type Tenure } from './judge.ts'
import { shownDetails, SimulatedTrigger, type Wishes } from './simulated-trigger.ts'
import { newBranch } from './upheaval.ts'
import { SimulatedWatcher } from './simulated-watcher.ts'
import type { WatcherCalls } from './watcher-calls.ts'
import { changeWeather, clear, settle } from './weather.ts'

/** No reorg is deeper, and finalized blocks stay. */
const DEEPEST = 64

const STEPS = 60

/** The share of periods without polls that are outages of several hours. */
const OUTAGES = 0.12

/** Mined before the end, so that the last final block of each finality has logs on both sides. */
const LAST_BLOCKS = 18

/** Polls after the last block of the chain. Everything must have settled within these. */
const LAST_LOOKS = 60

export type Played = {
  seed: number
  trace: string[]
  wrong: string[]
  /** Configurations that triggers had. */
  filters: ExpectedFilter[]
}

/** Seeds the draws of filters that were added later, which do not affect the other draws. */
const VARIETY = 0x5eed
/** Seeds the draws of triggers on the factory, and of its logs. */
const FACTORIES = 0xfac7

type World = {
  storage: DurableObjectStorage
  owner: Owner
  calls: WatcherCalls
  /** Only filters by contract, event and topics. */
  isPlain: boolean
}

export async function simulate(seed: number, world: World): Promise<Played> {
  const simulation = new Simulation(seed, world)
  const { trace } = simulation
  try {
    await simulation.live()
    await simulation.calmDown()
    return { seed, trace, wrong: await simulation.judged(), filters: simulation.filters() }
  } catch (error) {
    const wrong = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { seed, trace, wrong: [wrong], filters: simulation.filters() }
  }
}

class Simulation {
  readonly trace: string[] = []
  readonly #random: Random
  readonly #traffic: Traffic
  readonly #wishes: Wishes
  readonly #chain: ScriptedChain
  readonly #history: ChainHistory
  readonly #nodes: ChainNode[]
  readonly #watcher: SimulatedWatcher
  readonly #calls: WatcherCalls
  readonly #owner: Owner
  readonly #triggers: SimulatedTrigger[] = []

  constructor(seed: number, { storage, owner, calls, isPlain }: World) {
    const random = (this.#random = new Random(seed))
    this.#owner = owner
    this.#calls = calls
    const factories = isPlain ? undefined : new Random(seed ^ FACTORIES)
    this.#traffic = new Traffic(random.stream(), factories?.stream())
    const variety = isPlain ? undefined : new Random(seed ^ VARIETY)
    this.#wishes = { random, variety, factories, traffic: this.#traffic }
    this.#chain = new ScriptedChain({
      salt: String(seed),
      safeDepth: random.integer(4, 16),
      finalizedDepth: DEEPEST,
    })
    this.#history = new ChainHistory(this.#chain)
    const chances = random.stream()
    this.#nodes = Array.from({ length: random.integer(1, 3) }, () => {
      const node = new ChainNode(this.#chain, () => chances.fraction())
      settle(node, random)
      return node
    })
    this.#watcher = new SimulatedWatcher({
      storage,
      nodes: this.#nodes,
      calls,
      random: random.stream(),
      note: (what) => this.#note(what),
    })
    this.#mine(random.integer(DEEPEST + 2, 2 * DEEPEST))
  }

  /** Plays the random operations and faults. */
  async live(): Promise<void> {
    await this.#create()
    for (let step = 0; step < STEPS; step++) await this.#step()
  }

  async #step(): Promise<void> {
    const random = this.#random
    const dice = random.integer(1, 100)
    if (dice <= 30) this.#mine(random.pick([1, 1, 1, 2, 3]))
    else if (dice <= 32) this.#mineMany()
    else if (dice <= 42) this.#reorg()
    else if (dice <= 54) {
      const number = random.integer(0, this.#nodes.length - 1)
      this.#note(`endpoint ${number}: ${changeWeather(this.#nodes[number]!, this.#chain, random)}`)
    } else if (dice <= 64) await this.#touch()
    else if (dice <= 70) await this.#create()
    else if (dice <= 76) this.#watcher.restart()
    else if (dice <= 86) this.#watcher.killAfter(random.integer(0, 12))
    else this.#watcher.clock.pass(random.integer(1_000, 120_000))
    // Poll more often than anything else happens, as in production.
    if (random.chance(0.75)) await this.#look()
  }

  /** Ends all faults, makes room in all queues, and mines more blocks, sometimes until all earlier events are final. */
  async calmDown(): Promise<void> {
    for (const node of this.#nodes) clear(node)
    this.#watcher.beCalm()
    this.#note('calm')
    if (this.#random.chance(0.5)) {
      for (let mined = 0; mined < DEEPEST; mined++) this.#history.mine([])
      await this.#look()
    }
    this.#mine(LAST_BLOCKS)
    await this.#look()
    for (let look = 0; look < LAST_LOOKS; look++) {
      this.#watcher.clock.pass(20_000)
      for (const trigger of this.#triggers) await trigger.makeRoom()
      await this.#look()
      const { lookedThrough, watching } = this.#watcher.status()
      const isThrough = lookedThrough === this.#chain.head.number || !watching
      if (isThrough && this.#watcher.isAtRest(this.#history.lastFinal)) return
    }
    throw new Error(`does not come to rest: ${JSON.stringify(this.#watcher.status())}`)
  }

  async judged(): Promise<string[]> {
    const wrong = [...this.#watcher.objections]
    const decodedOf = ({ log, transaction, of: { hash, timestamp } }: ChainEvent) => {
      if (transaction) return shownDetails(detailsOf(transaction))
      return log ? this.#traffic.decodedOf(log) : { hash, timestamp }
    }
    for (const [number, trigger] of this.#triggers.entries()) {
      if (trigger.isDeleted) continue
      const runs = await trigger.runs()
      this.#note(`trigger ${number}: ${runs.length} runs; ${shown(trigger.tenures)}`)
      for (const complaint of judge(trigger, runs, this.#history, decodedOf))
        wrong.push(`trigger ${number}: ${complaint}`)
    }
    return wrong
  }

  filters(): ExpectedFilter[] {
    return this.#triggers.flatMap(({ tenures }) => tenures.map(({ filter }) => filter))
  }

  async #look(): Promise<void> {
    await this.#watcher.look()
    const { lookedThrough } = this.#watcher.status()
    this.#note(`looked through ${lookedThrough} of ${this.#chain.head.number}`)
  }

  #mine(count: number): void {
    const { transaction } = this
    for (let mined = 0; mined < count; mined++) {
      const transactions = Array.from({ length: this.#random.pick([0, 0, 1, 2, 3]) }, () =>
        transaction(),
      )
      this.#history.mine(transactions)
    }
    this.#note(`mined ${count} up to ${this.#chain.head.number}`)
  }

  /** Mines without a poll in between: a few dozen blocks, or rarely so many that the watcher reads them by ranges. */
  #mineMany(): void {
    const random = this.#random
    if (!random.chance(OUTAGES)) return this.#mine(random.integer(20, 60))
    const count = random.pick([600, 800, 800, 1000, 3000])
    for (let mined = 0; mined < count; mined++)
      this.#history.mine(random.chance(0.02) ? [this.transaction()] : [])
    this.#note(`an outage of ${count} blocks, up to ${this.#chain.head.number}`)
  }

  readonly transaction = () => this.#chain.transaction(this.#traffic.logs())

  #reorg(): void {
    const random = this.#random
    const deepest = Math.min(DEEPEST, this.#chain.head.number - this.#chain.finalized)
    const depth = Math.min(deepest, random.pick([1, 1, 2, 3, 5, 13, random.integer(1, DEEPEST)]))
    const length = Math.max(0, depth + random.pick([1, 1, 1, 0, 3, -1]))
    this.#history.reorg(depth, (orphans) =>
      newBranch(orphans, length, random, this.#traffic, (logs) => this.#chain.transaction(logs)),
    )
    this.#note(`${depth} blocks replaced by ${length}, head ${this.#chain.head.number}`)
  }

  async #create(): Promise<void> {
    if (this.#triggers.length >= 6) return
    const head = this.#seenHead()
    const trigger = await SimulatedTrigger.create(this.#owner, this.#history, head, this.#wishes)
    this.#note(`trigger ${this.#triggers.length}: ${shown(trigger.tenures)}`)
    this.#triggers.push(trigger)
  }

  async #touch(): Promise<void> {
    const random = this.#random
    const trigger = random.pick(this.#triggers)
    const number = this.#triggers.indexOf(trigger)
    if (trigger.isDeleted) return
    const head = this.#seenHead()
    if (!trigger.isEnabled) {
      await trigger.enable(head, this.#watcher.backfillBranchOf(trigger.id))
      return this.#note(`trigger ${number} enabled at ${head}`)
    }
    const change = random.pick(['disable', 'reconfigure', 'finality', 'purge', 'purge', 'remove'])
    this.#note(`trigger ${number}: ${change} at ${head}`)
    switch (change) {
      case 'disable':
        return trigger.disable()
      case 'reconfigure':
        return trigger.reconfigure(head, this.#wishes)
      case 'finality':
        return trigger.changeFinality(random)
      case 'purge':
        return trigger.purge()
      default:
        if (random.chance(0.3)) await trigger.remove()
    }
  }

  /** The head that new triggers are given, which may be slightly behind the actual head. */
  #seenHead(): number {
    return (this.#calls.head = this.#chain.head.number - this.#random.pick([0, 0, 1, 2]))
  }

  #note(what: string): void {
    this.trace.push(what)
  }
}

/** Omits contracts without logs, of which a trigger may have a long list. */
function shown(tenures: readonly Tenure[]): string {
  return JSON.stringify(tenures, (key, value) =>
    key === 'addresses' ? (value as string[]).slice(0, 3) : (value as unknown),
  )
}
