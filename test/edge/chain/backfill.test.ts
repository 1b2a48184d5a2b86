import { describe, expect, it } from 'vitest'
import { BackfillRunner } from '../../../edge/chain/backfill/backfill-runner.ts'
import { toLogQuery } from '../../../edge/chain/matching/log-filter.ts'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import { RecentLogSearch } from '../../../edge/chain/backfill/recent-log-search.ts'
import type { BackfillRange, BackfillSource } from '../../../edge/chain/backfill/backfill-source.ts'
import { readQueries } from '../../../edge/chain/backfill/read-queries.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import { ChainUnreachableError } from '../../../shared/rpc/chain-read-errors.ts'
import { type Plan, addressOf, filterOf, ScriptedProvider } from './scripted-provider.ts'

const placeOf = ({ blockNumber, logIndex }: ChainLog) => `${blockNumber}/${logIndex}`
const never = () => new Promise<void>(() => {})
/** Resolves after other pending microtasks have run. */
async function soon(): Promise<void> {
  for (let n = 0; n < 20; n++) await Promise.resolve()
}

/** Seeded generator of numbers in [0, 1) (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Emits a log in about one of `blocks` blocks, at pseudorandom heights. */
const oneIn = (blocks: number) => (address: string, block: number) =>
  Math.imul(block + address.length + address.charCodeAt(41), 0x9e3779b1) >>> 0 < 2 ** 32 / blocks
    ? 1
    : 0

/** In-memory backfill cursors of a watcher. `room` limits how many more logs each trigger accepts. */
class Lanes implements BackfillSource {
  readonly lanes = new Map<string, BackfillRange>()
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

  due(): BackfillRange[] {
    return [...this.lanes.values()].filter(({ triggerId }) => this.room.get(triggerId) !== 0)
  }

  async deliver(stretch: BackfillRange, logs: readonly ChainLog[], through: number) {
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

/** Creates a runner with sleeps that take no time and are recorded. */
function runnerOf(chain: ScriptedProvider, lanes: BackfillSource, size = new RangeSize()) {
  let now = 0
  const works = new Set<Promise<unknown>>()
  const events: { event: string; facts: object }[] = []
  const slept: number[] = []
  const runner = new BackfillRunner({
    chain,
    source: lanes,
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

describe('the range size', () => {
  it.each([
    [5, 8],
    [10, 8],
    [100, 6],
    [500, 5],
    [2_000, 6],
    [10_000, 6],
  ])(
    'finds a plan limit of %i blocks within a few requests, then keeps to it',
    async (blocks, lost) => {
      const ideal = 200
      const { chain } = await backfilled({ blocks }, blocks * ideal, oneIn(blocks * 10))
      const refused = chain.asked.filter((question) => question.refused)
      expect(refused.length).toBeLessThanOrEqual(lost + 2)
      expect(chain.asked.length).toBeLessThanOrEqual(1.25 * ideal + lost)
    },
  )

  it('immediately adopts a range that the provider suggests', async () => {
    const { chain } = await backfilled({ blocks: 10, hints: true }, 2_000)
    const refused = chain.asked.filter((question) => question.refused)
    expect(refused.length).toBeLessThanOrEqual(1 + 2)
    expect(chain.asked.length).toBeLessThanOrEqual(200 + 5)
  })

  it('halves the range if the suggested range is no smaller than the refused one', () => {
    const size = new RangeSize()
    size.recordRejection(500, 500)
    expect(size.blocks).toBe(250)
    size.recordRejection(250, 0)
    expect(size.blocks).toBe(125)
  })

  it('counts requests that were refused together as one step', () => {
    const size = new RangeSize()
    for (let n = 0; n < 4; n++) size.recordRejection(500)
    expect(size.blocks).toBe(250)
  })

  it('stays between 1 and 100,000 blocks', () => {
    const size = new RangeSize()
    for (let n = 0; n < 20; n++) size.recordRejection(size.blocks)
    expect(size.blocks).toBe(1)
    const other = new RangeSize()
    for (let n = 0; n < 20; n++) other.recordSuccess(other.blocks)
    expect(other.blocks).toBe(100_000)
  })

  it('adapts when the plan limit grows or shrinks', () => {
    const size = new RangeSize()
    const ask = (limit: number) =>
      size.blocks > limit ? size.recordRejection(size.blocks) : size.recordSuccess(size.blocks)
    for (let n = 0; n < 200; n++) ask(10)
    expect(size.blocks).toBeLessThanOrEqual(11)
    for (let n = 0; n < 1_000; n++) ask(2_000)
    expect(size.blocks).toBeGreaterThan(1_700)
    for (let n = 0; n < 20; n++) ask(10)
    expect(size.blocks).toBeLessThanOrEqual(11)
  })

  it('recovers after a few blocks with many logs', async () => {
    const crowd = (block: number) => (block > 60_000 && block <= 60_010 ? 3_000 : 0)
    const { size } = await backfilled({ logs: 10_000 }, 900_000, (_, block) => crowd(block))
    expect(size.blocks).toBeGreaterThan(10_000)
  })
})

describe('reading a stretch of blocks', () => {
  it('delivers every log once and in order, for any plan limits, failures and hints', async () => {
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

  it('continues in order while the plan limits change', async () => {
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

  it('detects a response that was silently truncated at a round number', async () => {
    const { chain } = await backfilled({ cutsAt: 1_000 }, 3_000, () => 7)
    expect(chain.asked.length).toBeGreaterThan(20)
  })

  it('falls back to the block hash if a block is refused by number', async () => {
    await backfilled({ logs: 1_000 }, 5, () => 1_500)
  })

  it('retries a block that is refused by hash as well, and logs its number', async () => {
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
      facts: { trigger: 't1', reason: 'the provider refuses the logs of the single block 3' },
    })
    expect(lanes.places(1).length).toBe(1_500 + 8)
  })

  it('splits a range that no node ever answers', async () => {
    const chain = new ScriptedProvider({}, oneIn(20))
    const lanes = new Lanes().add(1, 1, 5_000)
    chain.gate = async ({ from, to }) => {
      if (to - from >= 100) throw new ChainUnreachableError('too slow', { perhapsRange: true })
    }
    const { runner, idle } = runnerOf(chain, lanes)
    runner.poke()
    await idle()
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 5_000).map(placeOf))
  })
})

describe('backfills of many triggers', () => {
  it('send at most four requests at once, for one trigger or for many', async () => {
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

  it('do not make a short backfill wait for a long one', async () => {
    const chain = new ScriptedProvider({ blocks: 100 }, oneIn(100))
    const lanes = new Lanes().add(1, 1, 100_000).add(2, 1, 10)
    let questions = Infinity
    const { runner, idle } = runnerOf(chain, {
      due: () => lanes.due(),
      deliver: async (stretch, logs, through) => {
        if (stretch.triggerId === 't2') questions = chain.asked.length
        return lanes.deliver(stretch, logs, through)
      },
    })
    runner.poke()
    await idle()
    expect(questions).toBeLessThan(20)
    expect(lanes.places(1).length).toBeGreaterThan(500)
  })

  it('reuse what an earlier backfill learned about the provider', async () => {
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

  it('pause only the trigger with a full queue, and resume it without reading its logs again', async () => {
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

  it('retry an unresponsive trigger object with backoff, without delaying others', async () => {
    const chain = new ScriptedProvider({}, oneIn(10))
    const lanes = new Lanes().add(1, 1, 100).add(2, 1, 50_000)
    lanes.silent.add('t1')
    const { runner, idle, slept } = runnerOf(chain, {
      due: () => lanes.due(),
      deliver: async (stretch, logs, through) => {
        if (slept.length === 12) lanes.silent.delete('t1')
        return lanes.deliver(stretch, logs, through)
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

  it('send no more requests for a trigger that is over', async () => {
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

  it('pause while the chain is unreachable, at most 15 s at a time', async () => {
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

  it('do not deliver logs that were read before a reorg', async () => {
    const chain = new ScriptedProvider({}, () => 1)
    const lanes = new Lanes().add(1, 1, 50)
    const { runner, idle } = runnerOf(chain, lanes)
    let answer = () => {}
    chain.gate = () => new Promise((resolve) => (answer = resolve))
    runner.poke()
    lanes.add(1, 1, 40)
    chain.gate = async () => {}
    runner.discardBuffered()
    answer()
    await idle()
    expect(lanes.places(1)).toEqual(chain.all([addressOf(1)], 1, 40).map(placeOf))
  })

  it('continue after the cursors could not be read', async () => {
    const chain = new ScriptedProvider({}, () => 1)
    const lanes = new Lanes().add(1, 1, 50)
    let isBroken = true
    const { runner, idle, events } = runnerOf(chain, {
      due: () => {
        if (isBroken) throw new Error('https://node.example/key')
        return lanes.due()
      },
      deliver: (...told) => lanes.deliver(...told),
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
      ...toLogQuery(filterOf(0)),
      addresses: addresses.map(addressOf),
    }))
    const lane = 'live' as const
    const { signal } = new AbortController()
    let from = 1
    for (let attempt = 0; attempt < 50 && from <= to; attempt++)
      try {
        const stretch = { from, to }
        const parts = { chain, size: new RangeSize() }
        for await (const part of readQueries(parts, asked, stretch, { lane, signal })) {
          expect(part.through).toBeGreaterThanOrEqual(from)
          logs.push(...part.logs)
          from = part.through + 1
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ChainUnreachableError)
      }
    expect(from).toBe(to + 1)
    return logs
  }

  it('returns the logs of all queries in order', async () => {
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

  it('resumes after the last delivered part when a request fails', async () => {
    const chain = new ScriptedProvider({ fails: 0.1 }, oneIn(20), randomOf(7))
    const logs = await read(chain, [[1]], 20_000)
    expect(logs.map(placeOf)).toEqual(chain.all([addressOf(1)], 1, 20_000).map(placeOf))
  })

  it('returns a log only once if two queries match it', async () => {
    const chain = new ScriptedProvider({}, oneIn(20))
    const logs = await read(chain, [[1], [1]], 3_000)
    expect(logs.map(placeOf)).toEqual(chain.all([addressOf(1)], 1, 3_000).map(placeOf))
  })

  it('stops when its signal is aborted', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, oneIn(20))
    const ended = new AbortController()
    const lane = 'live' as const
    const parts = { chain, size: new RangeSize() }
    const queries = [toLogQuery(filterOf(1))]
    const stretch = { from: 1, to: 100_000 }
    let parted = 0
    for await (const _ of readQueries(parts, queries, stretch, { lane, signal: ended.signal }))
      if (++parted === 3) ended.abort()
    expect(parted).toBe(3)
    expect(chain.asked.length).toBeLessThan(60)
  })
})

describe('finding the latest logs of a filter', () => {
  const recentOf = (chain: ScriptedProvider, sleep: () => Promise<void> = never) =>
    new RecentLogSearch(chain, new RangeSize(), sleep)

  it('returns them newest first, up to the requested number', async () => {
    const chain = new ScriptedProvider({}, (_, block) => (block % 40 === 0 ? 2 : 0))
    const answer = await recentOf(chain).find(filterOf(1), 1_000, 5)
    const places = ['1000/1', '1000/0', '960/1', '960/0', '920/1']
    expect(answer.state === 'found' && answer.logs.map(placeOf)).toEqual(places)
    expect(answer).toMatchObject({ searched: { from: 920, to: 1_000 } })
  })

  it('sends at most twelve requests for a contract without logs', async () => {
    const chain = new ScriptedProvider({ blocks: 10 }, () => 0)
    const answer = await recentOf(chain).find(filterOf(1), 1_000_000, 5)
    expect(chain.asked.length).toBe(12)
    expect(answer).toMatchObject({ state: 'found', logs: [], searched: { to: 1_000_000 } })
  })

  it('stops at the first block of the chain', async () => {
    const chain = new ScriptedProvider({}, (_, block) => (block === 0 ? 1 : 0))
    const answer = await recentOf(chain).find(filterOf(1), 300, 5)
    expect(answer).toMatchObject({ logs: [{ blockNumber: 0 }], searched: { from: 0, to: 300 } })
    const early = await recentOf(chain).find(filterOf(1), -3, 5)
    expect(early).toMatchObject({ state: 'found', logs: [] })
  })

  it('finds the logs of a contract with more logs than one response can hold', async () => {
    const chain = new ScriptedProvider({ logs: 1_000, blocks: 100 }, () => 70)
    const answer = await recentOf(chain).find(filterOf(1), 1_000, 3)
    const places = ['1000/69', '1000/68', '1000/67']
    expect(answer.state === 'found' && answer.logs.map(placeOf)).toEqual(places)
  })

  it('returns the logs found so far when the time is up', async () => {
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

  it('fails with ChainAway if no response arrives in time', async () => {
    const chain = new ScriptedProvider({}, () => 0)
    chain.gate = never
    const found = recentOf(chain, soon).find(filterOf(1), 10_000, 3)
    await expect(found).rejects.toBeInstanceOf(ChainUnreachableError)
  })

  it('rejects a third concurrent search with a retry delay', async () => {
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
    await expect(again).rejects.toBeInstanceOf(ChainUnreachableError)
  })
})
