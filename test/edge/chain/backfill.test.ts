import { describe, expect, it } from 'vitest'
import { BackfillRunner } from '../../../edge/chain/backfill/backfill-runner.ts'
import { queryOfFilter } from '../../../edge/chain/backfill/query-of-filter.ts'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import { RecentLogs } from '../../../edge/chain/backfill/recent-logs.ts'
import type { Stretch, Stretches } from '../../../edge/chain/backfill/stretch.ts'
import { readUnion } from '../../../edge/chain/backfill/union-reader.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { ChainAway } from '../../../edge/chain/rpc/rpc-failures.ts'
import { type Plan, addressOf, filterOf, ScriptedProvider } from './scripted-provider.ts'

const placeOf = ({ blockNumber, logIndex }: ChainLog) => `${blockNumber}/${logIndex}`
const never = () => new Promise<void>(() => {})
/** Behind what else is ready. */
async function soon(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A contract with a log every so many blocks, at places that look random. */
const oneIn = (blocks: number) => (address: string, block: number) =>
  Math.imul(block + address.length + address.charCodeAt(41), 0x9e3779b1) >>> 0 < 2 ** 32 / blocks
    ? 1
    : 0

/** The lanes of a watcher, in memory. Each trigger has room for `room` more logs. */
class Lanes implements Stretches {
  readonly lanes = new Map<string, Stretch>()
  readonly told = new Map<string, ChainLog[]>()
  readonly room = new Map<string, number>()
  readonly silent = new Set<string>()
  tells = 0

  add(n: number, from: number, to: number): this {
    const triggerId = `t${n}`
    const next = { block: from, logIndex: 0 }
    const stretch = { triggerId, generation: 1, lane: 'backfill' as const, next, to }
    this.lanes.set(triggerId, { ...stretch, filter: filterOf(n) })
    this.told.set(triggerId, [])
    return this
  }

  due(): Stretch[] {
    return [...this.lanes.values()].filter(({ triggerId }) => this.room.get(triggerId) !== 0)
  }

  async tell(stretch: Stretch, logs: readonly ChainLog[], through: number) {
    this.tells++
    await soon()
    const { triggerId } = stretch
    const lane = this.lanes.get(triggerId)
    if (!lane) return 'over'
    if (this.silent.has(triggerId)) return 'away'
    expect(stretch.next).toEqual(lane.next)
    const room = this.room.get(triggerId) ?? Infinity
    const taken = logs.slice(0, room)
    this.told.get(triggerId)!.push(...taken)
    if (this.room.has(triggerId)) this.room.set(triggerId, room - taken.length)
    if (taken.length < logs.length) {
      const { blockNumber, logIndex } = logs[taken.length]!
      this.lanes.set(triggerId, { ...lane, next: { block: blockNumber, logIndex } })
      return 'full'
    }
    this.lanes.set(triggerId, { ...lane, next: { block: through + 1, logIndex: 0 } })
    if (through >= lane.to) this.lanes.delete(triggerId)
    return 'taken'
  }

  places(n: number): string[] {
    return this.told.get(`t${n}`)!.map(placeOf)
  }
}

/** A runner whose pauses take no time, and are counted. */
function runnerOf(chain: ScriptedProvider, lanes: Stretches, size = new RangeSize()) {
  let now = 0
  const works = new Set<Promise<unknown>>()
  const events: { event: string; facts: object }[] = []
  const slept: number[] = []
  const runner = new BackfillRunner({
    chain,
    stretches: lanes,
    size,
    now: () => now,
    random: () => 0.5,
    sleep: async (ms, ended) => {
      await soon()
      if (ended.aborted) return
      slept.push(ms)
      now += ms
    },
    keepAlive: (work) => {
      works.add(work)
      void work.finally(() => works.delete(work))
    },
    log: (event, facts) => events.push({ event, facts }),
  })
  const idle = async () => {
    while (works.size > 0) await Promise.all(works)
  }
  return { runner, idle, events, slept, size }
}

async function backfilled(
  plan: Plan,
  blocks: number,
  logsIn: (address: string, block: number) => number = oneIn(50),
  seed = 1,
) {
  const chain = new ScriptedProvider(plan, logsIn, randomOf(seed))
  const lanes = new Lanes().add(1, 1, blocks)
  const parts = runnerOf(chain, lanes)
  parts.runner.poke()
  await parts.idle()
  expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, blocks).map(placeOf))
  return { chain, lanes, ...parts }
}

describe('the size of a range', () => {
  it.each([
    [5, 8],
    [10, 8],
    [100, 6],
    [500, 5],
    [2_000, 6],
    [10_000, 6],
  ])('a plan of %i blocks is found in a few questions, and then kept to', async (blocks, lost) => {
    const ideal = 200
    const { chain } = await backfilled({ blocks }, blocks * ideal, oneIn(blocks * 10))
    const refused = chain.asked.filter((question) => question.refused)
    expect(refused.length).toBeLessThanOrEqual(lost + 2)
    expect(chain.asked.length).toBeLessThanOrEqual(1.25 * ideal + lost)
  })

  it('a hint of the provider is believed at once', async () => {
    const { chain } = await backfilled({ blocks: 10, hints: true }, 2_000)
    const refused = chain.asked.filter((question) => question.refused)
    expect(refused.length).toBeLessThanOrEqual(1 + 2)
    expect(chain.asked.length).toBeLessThanOrEqual(200 + 5)
  })

  it('a hint that is no smaller than what was asked does not make it ask the same again', () => {
    const size = new RangeSize()
    size.refused(500, 500)
    expect(size.blocks).toBe(250)
    size.refused(250, 0)
    expect(size.blocks).toBe(125)
  })

  it('questions that were refused together are one step', () => {
    const size = new RangeSize()
    for (let n = 0; n < 4; n++) size.refused(500)
    expect(size.blocks).toBe(250)
  })

  it('never asks for less than one block, nor for more than 100,000', () => {
    const size = new RangeSize()
    for (let n = 0; n < 20; n++) size.refused(size.blocks)
    expect(size.blocks).toBe(1)
    const other = new RangeSize()
    for (let n = 0; n < 20; n++) other.answered(other.blocks)
    expect(other.blocks).toBe(100_000)
  })

  it('follows a plan that becomes larger', () => {
    const size = new RangeSize()
    const ask = (limit: number) =>
      size.blocks > limit ? size.refused(size.blocks) : size.answered(size.blocks)
    for (let n = 0; n < 200; n++) ask(10)
    expect(size.blocks).toBeLessThanOrEqual(11)
    for (let n = 0; n < 1_000; n++) ask(2_000)
    expect(size.blocks).toBeGreaterThan(1_700)
    for (let n = 0; n < 20; n++) ask(10)
    expect(size.blocks).toBeLessThanOrEqual(11)
  })

  it('a crowd of logs in a few blocks makes no other stretch slower for long', async () => {
    const crowd = (block: number) => (block > 60_000 && block <= 60_010 ? 3_000 : 0)
    const { size } = await backfilled({ logs: 10_000 }, 900_000, (_, block) => crowd(block))
    expect(size.blocks).toBeGreaterThan(10_000)
  })
})

describe('reading a stretch', () => {
  it('every log comes once and in order, whatever the plan, its failures and its hints', async () => {
    for (let seed = 1; seed <= 16; seed++) {
      const random = randomOf(seed)
      const plan: Plan = {
        blocks: [3, 10, 77, 1_000, Infinity][Math.floor(random() * 5)]!,
        logs: [1_200, 10_000, Infinity][Math.floor(random() * 3)]!,
        hints: random() < 0.5,
        fails: random() < 0.5 ? 0 : random() * 0.3,
        failsWith: random() < 0.5 ? 'away' : 'lags',
      }
      const each = random() < 0.3 ? Math.floor(random() * 60) : 0
      const sparse = oneIn(1 + Math.floor(random() * 200))
      const logsIn = (address: string, block: number) => each + sparse(address, block)
      await backfilled(plan, 700 + Math.floor(random() * 1_500), logsIn, seed)
    }
  })

  it('goes on in order through a plan that changes meanwhile', async () => {
    const chain = new ScriptedProvider({ blocks: 2_000 }, oneIn(30))
    const lanes = new Lanes().add(1, 1, 60_000)
    chain.gate = async () => {
      if (chain.asked.length === 15) chain.plan = { blocks: 40 }
      if (chain.asked.length === 60) chain.plan = { blocks: 900, hints: true }
      if (chain.asked.length === 300) chain.plan = {}
    }
    const { runner, idle } = runnerOf(chain, lanes)
    runner.poke()
    await idle()
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 60_000).map(placeOf))
    expect(chain.asked.length).toBeLessThan(700)
  })

  it('an answer that was cut at a round number in silence is not believed', async () => {
    const { chain } = await backfilled({ cutsAt: 1_000 }, 3_000, () => 7)
    expect(chain.asked.length).toBeGreaterThan(20)
  })

  it('a block that is refused by its number is asked for by its hash', async () => {
    await backfilled({ logs: 1_000 }, 5, () => 1_500)
  })

  it('a block that is refused by its hash too is tried again later, and the log says which', async () => {
    const chain = new ScriptedProvider({ logs: 1_000, refusesHashes: true }, (_, block) =>
      block === 3 ? 1_500 : 1,
    )
    const lanes = new Lanes().add(1, 1, 9)
    const { runner, idle, events, slept } = runnerOf(chain, lanes)
    chain.gate = async () => {
      if (slept.length === 8) chain.plan = {}
    }
    runner.poke()
    await idle()
    expect(events[0]).toEqual({
      event: 'backfill.refused',
      facts: { trigger: 't1', reason: 'the provider refuses the logs of block 3 alone' },
    })
    expect(lanes.places(1).length).toBe(1_500 + 8)
  })

  it('a range that no node ever answers is asked for in parts', async () => {
    const chain = new ScriptedProvider({}, oneIn(20))
    const lanes = new Lanes().add(1, 1, 5_000)
    chain.gate = async ({ from, to }) => {
      if (to - from >= 100) throw new ChainAway('too slow', { perhapsRange: true })
    }
    const { runner, idle } = runnerOf(chain, lanes)
    runner.poke()
    await idle()
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 5_000).map(placeOf))
  })
})

describe('the stretches of many triggers', () => {
  it('one alone has four questions under way, and many together no more', async () => {
    for (const triggers of [1, 30]) {
      const chain = new ScriptedProvider({ blocks: 500 }, oneIn(100))
      chain.gate = soon
      const lanes = new Lanes()
      for (let n = 1; n <= triggers; n++) lanes.add(n, 1, 10_000)
      const { runner, idle } = runnerOf(chain, lanes)
      runner.poke()
      await idle()
      expect(chain.mostUnderWay).toBe(4)
      expect(lanes.lanes.size).toBe(0)
    }
  })

  it('a short one does not wait for the end of a long one', async () => {
    const chain = new ScriptedProvider({ blocks: 100 }, oneIn(100))
    const lanes = new Lanes().add(1, 1, 100_000).add(2, 1, 10)
    let questions = Infinity
    const { runner, idle } = runnerOf(chain, {
      due: () => lanes.due(),
      tell: async (stretch, logs, through) => {
        if (stretch.triggerId === 't2') questions = chain.asked.length
        return lanes.tell(stretch, logs, through)
      },
    })
    runner.poke()
    await idle()
    expect(questions).toBeLessThan(20)
    expect(lanes.places(1).length).toBeGreaterThan(500)
  })

  it('what one has found out of the provider helps the next', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, oneIn(10))
    const size = new RangeSize()
    for (const n of [1, 2]) {
      const { runner, idle } = runnerOf(chain, new Lanes().add(n, 1, 400), size)
      runner.poke()
      await idle()
    }
    const second = chain.asked.filter(({ address }) => address === addressOf(2))
    expect(second.length).toBeLessThanOrEqual(46)
  })

  it('one whose queue is full waits alone, and goes on without asking again for what it has', async () => {
    const chain = new ScriptedProvider({}, (address) => (address === addressOf(1) ? 3 : 0))
    const lanes = new Lanes().add(1, 1, 400).add(2, 1, 50_000)
    lanes.room.set('t1', 100)
    const { runner, idle } = runnerOf(chain, lanes)
    runner.poke()
    await idle()
    expect(lanes.lanes.has('t2')).toBe(false)
    expect(lanes.places(1).length).toBe(100)
    const asked = chain.asked.length
    while (lanes.lanes.has('t1')) {
      lanes.room.set('t1', 70)
      runner.poke()
      await idle()
    }
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 400).map(placeOf))
    expect(chain.asked.length).toBe(asked)
  })

  it('one whose object is silent is told again, ever more seldom, and nobody waits for it', async () => {
    const chain = new ScriptedProvider({}, oneIn(10))
    const lanes = new Lanes().add(1, 1, 100).add(2, 1, 50_000)
    lanes.silent.add('t1')
    const { runner, idle, slept } = runnerOf(chain, {
      due: () => lanes.due(),
      tell: async (stretch, logs, through) => {
        if (slept.length === 12) lanes.silent.delete('t1')
        return lanes.tell(stretch, logs, through)
      },
    })
    runner.poke()
    await idle()
    expect(slept.length).toBe(12)
    expect(Math.max(...slept)).toBeLessThanOrEqual(15_000)
    expect(slept.at(-1)).toBeGreaterThan(10_000)
    expect(lanes.lanes.size).toBe(0)
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 100).map(placeOf))
  })

  it('one that is over is asked for no more', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, oneIn(10))
    const lanes = new Lanes().add(1, 1, 100_000)
    const { runner, idle } = runnerOf(chain, lanes)
    chain.gate = async () => {
      if (chain.asked.length === 50) lanes.lanes.clear()
    }
    runner.poke()
    await idle()
    expect(chain.asked.length).toBeLessThan(120)
  })

  it('a chain that is away pauses all, at most 15 s at a time', async () => {
    const chain = new ScriptedProvider({ fails: 1 }, oneIn(10))
    const lanes = new Lanes().add(1, 1, 100).add(2, 1, 100)
    const { runner, idle, slept } = runnerOf(chain, lanes)
    chain.gate = async () => {
      if (slept.length === 10) chain.plan = {}
    }
    runner.poke()
    await idle()
    expect(slept.length).toBeLessThanOrEqual(12)
    expect(Math.max(...slept)).toBeLessThanOrEqual(15_000)
    expect(chain.asked.length).toBeLessThan(60)
    expect(lanes.lanes.size).toBe(0)
  })

  it('what was read before a reorganisation is not told after it', async () => {
    const chain = new ScriptedProvider({}, () => 1)
    const lanes = new Lanes().add(1, 1, 50)
    const { runner, idle } = runnerOf(chain, lanes)
    let answer = () => {}
    chain.gate = () => new Promise((resolve) => (answer = resolve))
    runner.poke()
    lanes.add(1, 1, 40)
    chain.gate = async () => {}
    runner.forget()
    answer()
    await idle()
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 40).map(placeOf))
  })

  it('lanes that can not be read are no end of the runner', async () => {
    const chain = new ScriptedProvider({}, () => 1)
    const lanes = new Lanes().add(1, 1, 50)
    let isBroken = true
    const { runner, idle, events } = runnerOf(chain, {
      due: () => {
        if (isBroken) throw new Error('https://node.example/key')
        return lanes.due()
      },
      tell: (...told) => lanes.tell(...told),
    })
    runner.poke()
    expect(events).toEqual([{ event: 'backfill.broken', facts: { reason: 'Error' } }])
    isBroken = false
    runner.poke()
    await idle()
    expect(lanes.lanes.size).toBe(0)
  })
})

describe('reading for all triggers after an outage', () => {
  const read = async (chain: ScriptedProvider, queries: number[][], to: number) => {
    const logs: ChainLog[] = []
    const asked = queries.map((addresses) => ({
      ...queryOfFilter(filterOf(0)),
      addresses: addresses.map(addressOf),
    }))
    const lane = 'live' as const
    const { signal } = new AbortController()
    let from = 1
    for (let attempt = 0; attempt < 50 && from <= to; attempt++)
      try {
        const stretch = { from, to }
        const parts = { chain, size: new RangeSize() }
        for await (const part of readUnion(parts, asked, stretch, { lane, signal })) {
          expect(part.through).toBeGreaterThanOrEqual(from)
          logs.push(...part.logs)
          from = part.through + 1
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ChainAway)
      }
    expect(from).toBe(to + 1)
    return logs
  }

  it('gives the logs of all queries in order', async () => {
    const chain = new ScriptedProvider({ blocks: 300 }, (address, block) =>
      (block + Number.parseInt(address, 16)) % 7 === 0 ? 1 : 0,
    )
    const logs = await read(chain, [[1, 2], [3], [4]], 5_000)
    const blocks = logs.map(({ blockNumber }) => blockNumber)
    expect(blocks).toEqual(blocks.toSorted((a, b) => a - b))
    const each = [[1, 2], [3], [4]].map((query) => chain.all(query.map(addressOf), 1, 5_000).length)
    expect(logs.length).toBeLessThanOrEqual(each.reduce((sum, count) => sum + count, 0))
    expect(new Set(logs.map(({ address }) => address)).size).toBe(4)
    expect(chain.mostUnderWay).toBe(4)
  })

  it('goes on behind what was handed on, after a failure', async () => {
    const chain = new ScriptedProvider({ fails: 0.1 }, oneIn(20), randomOf(7))
    const logs = await read(chain, [[1]], 20_000)
    expect(logs.map(placeOf)).toEqual(chain.all([addressOf(1)], 1, 20_000).map(placeOf))
  })

  it('gives a log that two queries match once', async () => {
    const chain = new ScriptedProvider({}, oneIn(20))
    const logs = await read(chain, [[1], [1]], 3_000)
    expect(logs.map(placeOf)).toEqual(chain.all([addressOf(1)], 1, 3_000).map(placeOf))
  })

  it('ends with its signal', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, oneIn(20))
    const ended = new AbortController()
    const lane = 'live' as const
    const parts = { chain, size: new RangeSize() }
    const queries = [queryOfFilter(filterOf(1))]
    const stretch = { from: 1, to: 100_000 }
    let parted = 0
    for await (const _ of readUnion(parts, queries, stretch, { lane, signal: ended.signal }))
      if (++parted === 3) ended.abort()
    expect(parted).toBe(3)
    expect(chain.asked.length).toBeLessThan(60)
  })
})

describe('the last logs of a filter', () => {
  const recentOf = (chain: ScriptedProvider, sleep: () => Promise<void> = never) =>
    new RecentLogs(chain, new RangeSize(), sleep)

  it('come newest first, as far back as they are asked for', async () => {
    const chain = new ScriptedProvider({}, (_, block) => (block % 40 === 0 ? 2 : 0))
    const answer = await recentOf(chain).find(filterOf(1), 1_000, 5)
    const places = ['1000/1', '1000/0', '960/1', '960/0', '920/1']
    expect(answer.state === 'found' && answer.logs.map(placeOf)).toEqual(places)
    expect(answer).toMatchObject({ searched: { from: 920, to: 1_000 } })
  })

  it('a contract without any costs twelve questions at most', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, () => 0)
    const answer = await recentOf(chain).find(filterOf(1), 1_000_000, 5)
    expect(chain.asked.length).toBe(12)
    expect(answer).toMatchObject({ state: 'found', logs: [], searched: { to: 1_000_000 } })
  })

  it('the search ends with the chain', async () => {
    const chain = new ScriptedProvider({}, (_, block) => (block === 0 ? 1 : 0))
    const answer = await recentOf(chain).find(filterOf(1), 300, 5)
    expect(answer).toMatchObject({ logs: [{ blockNumber: 0 }], searched: { from: 0, to: 300 } })
    const early = await recentOf(chain).find(filterOf(1), -3, 5)
    expect(early).toMatchObject({ state: 'found', logs: [] })
  })

  it('a contract with more logs than an answer has is found, too', async () => {
    const chain = new ScriptedProvider({ logs: 1_000, blocks: 100 }, () => 70)
    const answer = await recentOf(chain).find(filterOf(1), 1_000, 3)
    const places = ['1000/69', '1000/68', '1000/67']
    expect(answer.state === 'found' && answer.logs.map(placeOf)).toEqual(places)
  })

  it('what was found when the time is over is the answer', async () => {
    const chain = new ScriptedProvider({}, () => 0)
    let over = () => {}
    const time = new Promise<void>((resolve) => (over = resolve))
    chain.gate = async () => {
      if (chain.asked.length < 3) return
      over()
      await never()
    }
    const answer = await recentOf(chain, () => time).find(filterOf(1), 10_000, 3)
    expect(answer).toEqual({ state: 'found', logs: [], searched: { from: 9_701, to: 10_000 } })
  })

  it('without a single answer in time the chain is away', async () => {
    const chain = new ScriptedProvider({}, () => 0)
    chain.gate = never
    const found = recentOf(chain, soon).find(filterOf(1), 10_000, 3)
    await expect(found).rejects.toBeInstanceOf(ChainAway)
  })

  it('a third search at once is told when to come back', async () => {
    const chain = new ScriptedProvider({}, () => 0)
    chain.gate = never
    let over = () => {}
    const time = new Promise<void>((resolve) => (over = resolve))
    const recent = recentOf(chain, () => time)
    const both = [1, 2].map((n) => recent.find(filterOf(n), 100, 3).catch(() => 'away'))
    expect(await recent.find(filterOf(3), 100, 3)).toEqual({ state: 'busy', retryAfterS: 5 })
    over()
    await Promise.all(both)
    const again = recent.find(filterOf(3), 100, 3)
    await expect(again).rejects.toBeInstanceOf(ChainAway)
  })
})
