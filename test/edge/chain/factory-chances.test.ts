/** Random chains, reorganizations, node faults, evictions and full queues, checked against the definition of a factory. */
import { describe, expect, it } from 'vitest'
import type { Faults } from '../../doubles/chain-node/faults.ts'
import { Random } from '../../origin/credits/simulation/random.ts'
import { creates, FACTORY, on, START, swap } from './some-factory.ts'
import { EVENT, onChain, type ToldTrigger, type WatchedChain } from './watched-chain.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 17, 132]

const FAULTS: readonly Faults[] = [
  { unmatchedLogs: 1 },
  { orphanedLogs: 1 },
  { duplicatedLogs: 1 },
  { disorderedLogs: 1 },
  { serverError: 1 },
]

/** Returns the swaps that the trigger has to receive, by the definition of a factory. */
function wantedOf({ chain }: WatchedChain, from: number): string[] {
  const created = new Set<string>()
  const wanted: string[] = []
  for (const block of chain.slice(from, chain.head.number))
    for (const { address, topics, data } of block.logs) {
      if (address === FACTORY) created.add(`0x${data.slice(-40)}`)
      else if (topics[0] === EVENT && created.has(address)) wanted.push(`${block.hash} ${data}`)
    }
  return wanted
}

/** Collects the swaps that a trigger has accepted and that no reorganization notice has revoked since. */
function standingOf(trigger: ToldTrigger): () => string[] {
  const standing = new Map<string, number>()
  let count = 0
  trigger.onDelivery = async ({ reorgedAbove }) => {
    if (reorgedAbove !== undefined)
      for (const [log, block] of standing) if (block > reorgedAbove) standing.delete(log)
    for (const { blockHash, blockNumber, data } of trigger.taken.slice(count))
      standing.set(`${blockHash} ${data}`, blockNumber)
    count = trigger.taken.length
  }
  return () => [...standing.keys()]
}

describe('triggers with a factory, whatever happens to the chain and the watcher', () => {
  it.each(SEEDS)('receive each event of a created contract once (seed %i)', async (seed) => {
    const random = new Random(seed)
    let data = 0
    const contents = () =>
      Array.from({ length: random.integer(0, 4) }, () =>
        random.chance(0.25) ? creates(random.integer(0, 8)) : swap(random.integer(0, 8), ++data),
      )
    await onChain(async (world) => {
      const { chain } = world
      world.isPatient = false
      let passed = 0
      world.now = () => Date.now() + passed
      for (let mined = 0; mined < 20; mined++) chain.mine(contents())
      const head = chain.head.number
      const starts = new Map<string, number>()
      const standing = new Map<string, () => string[]>()
      for (const [at, finality] of [0, 3, 0, 3].entries()) {
        const from = at < 2 ? head + 1 : START.firstBlock + random.integer(1, 15)
        starts.set(String(at), from)
        standing.set(String(at), standingOf(world.trigger(String(at))))
        world.subscribe(String(at), {
          ...on(from),
          finality,
          backfill: from > head ? null : { from, to: head },
        })
      }
      for (let step = 0; step < 60; step++) {
        passed += 5_000
        const dice = random.integer(1, 100)
        if (dice <= 45) chain.mine(contents())
        else if (dice <= 60) {
          // Reaches below the blocks in which the triggers started.
          const depth = random.integer(1, 10)
          chain.reorg(depth, Array.from({ length: depth + 1 }, contents))
        } else if (dice <= 66) world.restart()
        else if (dice <= 72) {
          world.node.faults = random.pick(FAULTS)
          await world.watch.poll()
          world.node.faults = {}
          // The watcher tries the node again only after a while.
          passed += 120_000
        } else if (dice === 73)
          for (let mined = 0; mined < 700; mined++)
            chain.mine(random.chance(0.02) ? contents() : [])
        else world.trigger(String(random.integer(0, 3))).room = random.pick([0, 2, Infinity])
        if (random.chance(0.7)) await world.poll()
      }
      for (const id of starts.keys()) world.trigger(id).room = Number.POSITIVE_INFINITY
      chain.mineEmpty(4)
      for (let polls = 0; polls < 12; polls++) {
        passed += 60_000
        for (const id of starts.keys()) world.watch.roomFor(id)
        await world.poll()
      }
      for (const [id, from] of starts)
        expect(standing.get(id)!().toSorted(), `trigger ${id}`).toEqual(
          wantedOf(world, from).toSorted(),
        )
    }, START)()
  })
})
