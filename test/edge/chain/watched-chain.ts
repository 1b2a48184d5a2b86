/**
 * The watcher of a scripted chain, on the storage of a real object and over the real reader, and triggers that keep what
 * they are told.
 */
import { runInDurableObject } from 'cloudflare:test'
import { BackfillRunner } from '../../../edge/chain/backfill/backfill-runner.ts'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { HttpChainReader } from '../../../edge/chain/rpc/http-chain-reader.ts'
import type { DeliveryAnswer, LogDelivery, Subscription } from '../../../edge/chain/subscription.ts'
import { Watch } from '../../../edge/chain/watch/watch.ts'
import { sleep } from '../../../edge/sleep.ts'
import { ChainNode } from '../../doubles/chain-node/chain-node.ts'
import { fetchOf } from '../../doubles/chain-node/fetch-of.ts'
import type { ScriptedLog } from '../../doubles/chain-node/scripted-block.ts'
import { type ChainOptions, ScriptedChain } from '../../doubles/chain-node/scripted-chain.ts'
import { env } from '../app.ts'

const NODE = 'https://node.example/'

export const hex = (bytes: number, value: number | string) =>
  `0x${(typeof value === 'number' ? value.toString(16) : value).padStart(bytes * 2, '0')}`
export const TOKEN = hex(20, 0xa1)
export const EVENT = hex(32, 0xe1)

/** A log that differs from others by its data. */
export const someLog = (data: number, over: Partial<ScriptedLog> = {}): ScriptedLog => ({
  address: TOKEN,
  topics: [EVENT],
  data: hex(32, data),
  ...over,
})

/** What logs were made with, by `someLog`. */
export const dataOf = (logs: readonly ChainLog[]) => logs.map(({ data }) => Number(data))

/** A trigger's object, as far as a watcher can tell: it keeps what it is told, by the rules of `deliverLogs`. */
export class ToldTrigger {
  deliveries: LogDelivery[] = []
  room = Number.POSITIVE_INFINITY
  state: 'well' | 'silent' | 'failing' | 'over' = 'well'
  /** All that it took, in order. */
  taken: ChainLog[] = []
  /** Called before it answers. */
  onDelivery: (delivery: LogDelivery) => Promise<void> = async () => {}

  async deliver(delivery: LogDelivery): Promise<DeliveryAnswer> {
    if (this.state === 'failing') throw new Error('the object is away')
    if (this.state === 'silent') await new Promise(() => {})
    if (this.state === 'over') return { state: 'over' }
    this.deliveries.push(delivery)
    const logs = delivery.logs.slice(0, this.room)
    this.room -= logs.length
    this.taken.push(...logs)
    await this.onDelivery(delivery)
    return { state: 'taken', count: logs.length }
  }

  get data(): number[] {
    return dataOf(this.taken)
  }
}

export class WatchedChain {
  readonly chain: ScriptedChain
  readonly node: ChainNode
  readonly triggers = new Map<string, ToldTrigger>()
  readonly events: { event: string; facts: Record<string, unknown> }[] = []
  readonly storage: DurableObjectStorage
  watch!: Watch
  runner!: BackfillRunner
  /** Waits of the watcher end at once where this says so. */
  isPatient = true
  now = Date.now
  #underWay: Promise<unknown>[] = []
  #versions = 0

  constructor(storage: DurableObjectStorage, options: ChainOptions = {}) {
    this.storage = storage
    this.chain = new ScriptedChain(options)
    this.node = new ChainNode(this.chain, () => 0)
    this.restart()
  }

  /** The next life of the watcher, on the same storage. */
  restart(): void {
    const log = (event: string, facts: object) =>
      this.events.push({ event, facts: facts as Record<string, unknown> })
    const reader = new HttpChainReader({
      endpoints: [NODE],
      chainId: this.chain.chainId,
      fetch: fetchOf({ [NODE]: this.node }),
      sleep,
      now: Date.now,
      random: Math.random,
      log,
    })
    const size = new RangeSize()
    const keepAlive = (work: Promise<unknown>) => void this.#underWay.push(work)
    const wait = (ms: number, ended: AbortSignal) =>
      this.isPatient ? sleep(ms, ended) : sleep(0, ended)
    this.watch = new Watch({
      storage: this.storage,
      reader,
      size,
      tell: (triggerId, delivery) => this.trigger(triggerId).deliver(structuredClone(delivery)),
      now: () => this.now(),
      sleep: wait,
      keepAlive,
      stretchesDue: () => runner.poke(),
      stretchesReplaced: () => runner.forget(),
      log,
    })
    const { stretches } = this.watch
    const random = () => 0
    const runner = new BackfillRunner({
      chain: reader,
      stretches,
      size,
      now: () => this.now(),
      random,
      sleep,
      keepAlive,
      log,
    })
    this.runner = runner
  }

  trigger(triggerId: string): ToldTrigger {
    const known = this.triggers.get(triggerId) ?? new ToldTrigger()
    this.triggers.set(triggerId, known)
    return known
  }

  /** A trigger that begins behind the head. */
  subscribe(triggerId: string, over: Partial<Subscription> = {}): ToldTrigger {
    this.watch.watch({
      triggerId,
      version: ++this.#versions,
      generation: 1,
      filter: { address: TOKEN, topic0: EVENT, topics: [] },
      finality: 0,
      since: this.chain.head.number + 1,
      backfill: null,
      ...over,
    })
    return this.trigger(triggerId)
  }

  nextVersion(): number {
    return ++this.#versions
  }

  /** One look, and all that goes on beside it. */
  async poll(): Promise<void> {
    await this.watch.poll()
    await this.settle()
  }

  async settle(): Promise<void> {
    while (this.#underWay.length > 0) await Promise.all(this.#underWay.splice(0))
  }

  rows<Row extends Record<string, SqlStorageValue>>(statement: string): Row[] {
    return this.storage.sql.exec<Row>(statement).toArray()
  }

  count(table: string): number {
    return this.rows<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)[0]!.count
  }
}

let worlds = 0

/** A test on a chain and an object of its own. */
export function onChain(
  test: (world: WatchedChain) => Promise<void>,
  options: ChainOptions = {},
): () => Promise<void> {
  return () =>
    runInDurableObject(env.CHAIN_WATCHER.getByName(`test-${worlds++}`), async (_, { storage }) => {
      await test(new WatchedChain(storage, options))
    })
}
