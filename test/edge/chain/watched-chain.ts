/**
 * The watcher of a scripted chain, with the storage of a real Durable Object and the real reader, and triggers that
 * record their deliveries.
 */
import { runInDurableObject } from 'cloudflare:test'
import { BackfillRunner } from '../../../edge/chain/backfill/backfill-runner.ts'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { HttpChainReader } from '../../../edge/chain/rpc/http-chain-reader.ts'
import type {
  DeliveryResponse,
  LogDelivery,
  Subscription,
} from '../../../edge/chain/subscription.ts'
import { ChainPoller } from '../../../edge/chain/watch/chain-poller.ts'
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

/** Returns a log that differs from others in its data. */
export const someLog = (data: number, over: Partial<ScriptedLog> = {}): ScriptedLog => ({
  address: TOKEN,
  topics: [EVENT],
  data: hex(32, data),
  ...over,
})

/** Returns the numbers that were passed to `someLog`. */
export const dataOf = (logs: readonly ChainLog[]) => logs.map(({ data }) => Number(data))

/** Stands in for a trigger's object: records deliveries and follows the rules of `deliverLogs`. */
export class ToldTrigger {
  deliveries: LogDelivery[] = []
  room = Number.POSITIVE_INFINITY
  state: 'well' | 'silent' | 'failing' | 'over' = 'well'
  /** All accepted logs, in order. */
  taken: ChainLog[] = []
  /** Called before the response is returned. */
  onDelivery: (delivery: LogDelivery) => Promise<void> = async () => {}

  async deliver(delivery: LogDelivery): Promise<DeliveryResponse> {
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
  watch!: ChainPoller
  runner!: BackfillRunner
  reader!: HttpChainReader
  /** If false, waits of the watcher end immediately. */
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

  /** Starts the next incarnation of the watcher on the same storage. */
  restart(): void {
    const log = (event: string, facts: object) =>
      this.events.push({ event, facts: facts as Record<string, unknown> })
    const reader = new HttpChainReader({
      endpoints: [NODE],
      chainId: this.chain.chainId,
      fetch: fetchOf({ [NODE]: this.node }),
      sleep,
      now: () => this.now(),
      random: Math.random,
      log,
    })
    this.reader = reader
    const size = new RangeSize()
    const keepAlive = (work: Promise<unknown>) => void this.#underWay.push(work)
    const wait = (ms: number, ended: AbortSignal) =>
      this.isPatient ? sleep(ms, ended) : sleep(0, ended)
    this.watch = new ChainPoller({
      storage: this.storage,
      reader,
      size,
      deliver: (triggerId, delivery) => this.trigger(triggerId).deliver(structuredClone(delivery)),
      now: () => this.now(),
      sleep: wait,
      keepAlive,
      onBackfillDue: () => runner.poke(),
      onBackfillReplaced: () => runner.discardBuffered(),
      log,
    })
    const { backfillSource: stretches } = this.watch
    const random = () => 0
    const runner = new BackfillRunner({
      chain: reader,
      source: stretches,
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

  /** Subscribes a trigger from the block after the head. */
  subscribe(triggerId: string, over: Partial<Subscription> = {}): ToldTrigger {
    this.watch.subscribe({
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

  /** Polls once, and waits for all background work. */
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

/** Runs a test with its own chain and Durable Object. */
export function onChain(
  test: (world: WatchedChain) => Promise<void>,
  options: ChainOptions = {},
): () => Promise<void> {
  return () =>
    runInDurableObject(env.CHAIN_WATCHER.getByName(`test-${worlds++}`), async (_, { storage }) => {
      await test(new WatchedChain(storage, options))
    })
}
