import { runInDurableObject } from 'cloudflare:test'
import { beforeEach, describe, expect, it } from 'vitest'
import { TransactionSelection } from '../../../edge/chain/matching/transaction-filter.ts'
import { HttpChainReader } from '../../../edge/chain/rpc/http-chain-reader.ts'
import type {
  DeliveryResponse,
  LogDelivery,
  Subscription,
} from '../../../edge/chain/subscription.ts'
import { ChainPoller } from '../../../edge/chain/watch/chain-poller.ts'
import { sleep } from '../../../edge/sleep.ts'
import { Random } from '../../origin/credits/simulation/random.ts'
import { env } from '../app.ts'
import { Anvil, CONTRACT, TOPIC } from './anvil.ts'

const CHAIN_ID = 31_337
const DEEPEST = 64
/** Finality depths that every reorg reaches, that some reorgs reach, and that no reorg reaches. */
const FINALITIES = [0, 5, DEEPEST]

/** Stands in for a trigger's object: records delivered events, and which of them a reorg removed. */
class Listener {
  readonly told = new Map<string, { block: number; isTakenBack: boolean }>()

  hear({ reorgedAbove = Number.POSITIVE_INFINITY, logs }: LogDelivery): DeliveryResponse {
    for (const event of this.told.values()) event.isTakenBack ||= event.block > reorgedAbove
    for (const { data, blockNumber } of logs)
      this.told.set(data, { block: blockNumber, isTakenBack: false })
    return { state: 'taken', count: logs.length }
  }

  events(isTakenBack: boolean): string[] {
    const events = [...this.told].filter(([, event]) => event.isTakenBack === isTakenBack)
    return events.map(([data]) => data).toSorted()
  }
}

describe('a reader of a real chain', () => {
  const anvil = new Anvil()

  it('reads transactions with their receipts', async () => {
    await anvil.begin()
    const first = await anvil.head()
    await anvil.mine([2, 1, 0])
    const reader = new HttpChainReader({
      endpoints: [anvil.url],
      chainId: CHAIN_ID,
      fetch: (url, init) => fetch(url, init),
      sleep,
      now: Date.now,
      random: Math.random,
      log: () => {},
    })
    const blocks = [1, 2, 3].map((at) => ({ number: first + at }))
    const to = new TransactionSelection([{ to: [CONTRACT] }])
    const marks = await reader.transactions(blocks, to, 'live')
    const logs = await anvil.logs(first)
    expect(marks.map(({ transactionHash }) => transactionHash)).toEqual(
      logs.map(({ transactionHash }) => transactionHash),
    )
    expect(marks.map(({ blockNumber }) => blockNumber - first)).toEqual([1, 1, 2])
    for (const [at, { data, topics, transaction, blockHash }] of marks.entries()) {
      expect(data).toBe(`${TOPIC}${logs[at]!.data.slice(2)}`)
      expect(topics[1]).toBe('success')
      expect(transaction).toMatchObject({ to: CONTRACT, value: '0' })
      expect(transaction!.gasUsed).toBeGreaterThan(21_000)
      expect(blockHash).toBe(logs[at]!.blockHash)
    }
    const other = new TransactionSelection([{ to: [`0x${'e2'.repeat(20)}`] }])
    expect(await reader.transactions(blocks, other, 'live')).toEqual([])
  })
})

describe('a watcher on a real chain', () => {
  const anvil = new Anvil()
  beforeEach(() => anvil.begin())

  /** Starts a watcher of anvil with one listener per finality, from the block after the head. */
  async function watching(
    test: (watched: {
      look: () => Promise<void>
      restart: () => void
      listeners: Listener[]
    }) => Promise<void>,
  ): Promise<void> {
    const name = `anvil ${crypto.randomUUID()}`
    await runInDurableObject(env.CHAIN_WATCHER.getByName(name), async (_, { storage }) => {
      const listeners = FINALITIES.map(() => new Listener())
      const work = new Set<Promise<unknown>>()
      const begin = () =>
        new ChainPoller({
          storage,
          reader: new HttpChainReader({
            endpoints: [anvil.url],
            chainId: CHAIN_ID,
            fetch: (url, init) => fetch(url, init),
            sleep,
            now: Date.now,
            random: Math.random,
            log: () => {},
          }),
          deliver: async (triggerId, delivery) => listeners[Number(triggerId)]!.hear(delivery),
          now: Date.now,
          sleep,
          keepAlive: (promise) => work.add(promise),
          onBackfillDue: () => {},
          onBackfillReplaced: () => {},
          log: () => {},
        })
      let watch = begin()
      const since = (await anvil.head()) + 1
      for (const [place, finality] of FINALITIES.entries())
        watch.subscribe(subscription(String(place), finality, since))
      await test({
        listeners,
        look: async () => {
          await watch.poll()
          await Promise.all(work)
          work.clear()
        },
        restart: () => {
          watch = begin()
        },
      })
    })
  }

  function subscription(triggerId: string, finality: number, since: number): Subscription {
    const filter = { address: CONTRACT, topic0: TOPIC, topics: [] }
    return { triggerId, version: 1, generation: 1, filter, finality, since, backfill: null }
  }

  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'delivers each event, and retracts it if a reorg removes it (schedule %i)',
    async (seed) => {
      const random = new Random(seed)
      await watching(async ({ look, restart, listeners }) => {
        const first = (await anvil.head()) + 1
        await look()
        for (let step = 0; step < 12; step++) {
          const dice = random.integer(1, 10)
          const height = (await anvil.head()) - first + 1
          if (dice <= 5) await anvil.mine(random.pick([[1], [0, 2], [20], [1, 1, 1, 1, 1, 1]]))
          else if (dice <= 6)
            await anvil.mine(Array.from({ length: 20 }, () => random.integer(0, 1)))
          else if (height > 0) {
            const depth = Math.min(height, DEEPEST, random.pick([1, 2, 3, 8, 40, DEEPEST]))
            const places = Array.from({ length: 3 }, () => random.integer(0, depth - 1))
            if (dice <= 9) await anvil.reorg(depth, places)
            else {
              await anvil.rollback(depth)
              await anvil.mine([1, ...Array.from({ length: depth }, () => 0)])
            }
          }
          if (random.chance(0.2)) restart()
          if (random.chance(0.7)) await look()
        }
        await anvil.mine([1])
        await anvil.mineEmpty(DEEPEST + 1)
        await look()

        const onChain = (await anvil.logs(first)).map(({ data }) => data).toSorted()
        const [latest, shallow, deep] = listeners
        expect(onChain).not.toHaveLength(0)
        expect(latest!.events(false)).toEqual(onChain)
        expect(shallow!.events(false)).toEqual(onChain)
        expect(deep!.events(false)).toEqual(onChain)
        expect(deep!.events(true)).toEqual([])
      })
    },
  )

  it('continues at the head of another chain that replaced the first', async () => {
    await watching(async ({ look, listeners }) => {
      await anvil.mine([1, 0, 0])
      await look()
      expect(listeners[0]!.told.size).toBe(1)
      await anvil.begin()
      await anvil.mine([0, 0])
      for (let looks = 0; looks < 12; looks++) await look()
      await anvil.mine([1])
      await look()
      expect(listeners[0]!.told.size).toBe(2)
      expect(listeners[0]!.events(false)).toHaveLength(1)
    })
  })
})
