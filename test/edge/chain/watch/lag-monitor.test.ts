import { describe, expect, it } from 'vitest'
import { LAGGING_MS, LagMonitor } from '../../../../edge/chain/watch/lag-monitor.ts'
import { LagReports } from '../../../../edge/chain/watch/lag-reports.ts'
import type { SubjectReport } from '../../../../edge/reports/report.ts'
import { MINUTE_MS } from '../../../../shared/durations.ts'
import { onChain, someLog, type WatchedChain } from '../watched-chain.ts'

/** Moves the clock of the watcher, not that of the chain. */
async function pass(world: WatchedChain, ms: number): Promise<void> {
  const now = world.now() + ms
  world.now = () => now
  await world.poll()
}

describe('a chain', () => {
  it(
    'lags after ten minutes without a new head, until there is one',
    onChain(async (world) => {
      world.subscribe('a')
      await pass(world, 0)
      expect(world.watch.lag()).toBeUndefined()
      const since = world.now()
      await pass(world, LAGGING_MS - 1)
      expect(world.watch.lag()).toBeUndefined()
      await pass(world, 1)
      expect(world.watch.lag()).toEqual({ code: 'head_not_moving', since })
      world.chain.mine([someLog(1)])
      await pass(world, 1)
      expect(world.watch.lag()).toBeUndefined()
    }),
  )

  it(
    'lags while no node responds, also after an eviction',
    onChain(async (world) => {
      world.subscribe('a')
      await pass(world, 0)
      expect(world.watch.lag()).toBeUndefined()
      world.node.faults = { refused: 1 }
      await pass(world, LAGGING_MS)
      expect(world.watch.lag()).toMatchObject({ code: 'nodes_unavailable' })
      world.restart()
      await pass(world, 1)
      expect(world.watch.lag()).toMatchObject({ code: 'nodes_unavailable' })
      world.node.faults = {}
      world.chain.mineEmpty(1)
      // A new reader, which is not in backoff.
      world.restart()
      await pass(world, 1)
      expect(world.watch.lag()).toBeUndefined()
    }),
  )

  it(
    'does not lag when the first trigger watches it after a long time',
    onChain(async (world) => {
      world.subscribe('a')
      await pass(world, 0)
      world.watch.unsubscribe('a', world.nextVersion())
      await pass(world, 2 * LAGGING_MS)
      expect(world.watch.lag()).toBeUndefined()
      world.node.faults = { refused: 1 }
      world.subscribe('b')
      await pass(world, LAGGING_MS - 1)
      expect(world.watch.lag()).toBeUndefined()
      await pass(world, 1)
      expect(world.watch.lag()).toMatchObject({ code: 'nodes_unavailable' })
    }),
  )

  it('lags while its watcher is behind the head, although both advance', () => {
    const at = (head: number, lookedThrough: number, now: number) => ({
      head,
      lookedThrough,
      answeredAt: now,
    })
    const monitor = new LagMonitor(at(5, 5, 0), 0)
    expect(monitor.update(at(9, 6, 1_000), 1_000)).toBeUndefined()
    expect(monitor.update(at(99, 60, LAGGING_MS), LAGGING_MS)).toEqual({
      code: 'watcher_behind',
      since: 0,
    })
    expect(monitor.update(at(99, 99, LAGGING_MS + 1), LAGGING_MS + 1)).toBeUndefined()
  })
})

describe('reports that a chain lags', () => {
  const LAG = { code: 'head_not_moving', since: 0 } as const

  function reporting(owners: readonly string[]) {
    const sent: (SubjectReport & { owner: string })[] = []
    const work: Promise<void>[] = []
    const world = {
      now: 0,
      inFlight: 0,
      most: 0,
      failing: false,
      hanging: '',
      logged: [] as object[],
    }
    const reports = new LagReports({
      chain: 'base',
      triggers: () => owners.map((_, at) => String(at)),
      ownersOf: async (ids) => [...new Set(ids.map((id) => owners[Number(id)]!))],
      async report(owner, report) {
        world.most = Math.max(world.most, ++world.inFlight)
        await (owner === world.hanging ? new Promise(() => {}) : Promise.resolve())
        world.inFlight--
        if (world.failing) throw new Error('away')
        sent.push({ owner, ...report })
      },
      keepAlive: (promise) => void work.push(promise),
      // Only calls that hang are timed out.
      sleep: () =>
        world.hanging ? new Promise((resolve) => setTimeout(resolve)) : new Promise(() => {}),
      now: () => world.now,
      log: (event, facts) => void world.logged.push({ event, ...facts }),
    })
    const update = async (lag?: typeof LAG) => {
      reports.update(lag)
      await Promise.all(work)
      return sent.splice(0)
    }
    return { world, update }
  }

  it('reach each owner once, however many triggers he has, with at most 20 calls at a time', async () => {
    const owners = Array.from({ length: 2_000 }, (_, at) => `owner-${at % 45}`)
    const { update, world } = reporting(owners)
    const sent = await update(LAG)
    expect(sent.map(({ owner }) => owner)).toEqual([...new Set(owners)])
    expect(sent[0]).toMatchObject({
      signal: 'chain_lagging',
      subject: 'base',
      state: 'open',
      code: 'head_not_moving',
    })
    expect(world.most).toBe(20)
  })

  it('are repeated after half an hour, and end once', async () => {
    const { update, world } = reporting(['ada'])
    expect(await update()).toEqual([])
    expect(await update(LAG)).toHaveLength(1)
    world.now += 30 * MINUTE_MS - 1
    expect(await update(LAG)).toEqual([])
    world.now += 1
    expect(await update(LAG)).toHaveLength(1)
    expect(await update()).toMatchObject([{ state: 'resolved', code: null }])
    expect(await update()).toEqual([])
  })

  it('are logged if owners cannot be reached', async () => {
    const { update, world } = reporting(['ada', 'bob'])
    world.failing = true
    await update(LAG)
    expect(world.logged).toEqual([
      { event: 'chain.lag_not_reported', failures: 2, reason: 'Error: away' },
    ])
  })

  it('do not wait for an owner whose object hangs', async () => {
    const { update, world } = reporting(['ada', 'bob'])
    world.hanging = 'ada'
    expect(await update(LAG)).toMatchObject([{ owner: 'bob', state: 'open' }])
    expect(world.logged).toMatchObject([{ failures: 1, reason: 'Error: no response' }])
    world.hanging = ''
    expect(await update()).toHaveLength(2)
  })

  it('are continued by the next updates if there are many owners', async () => {
    const owners = Array.from({ length: 900 }, (_, at) => `owner-${at}`)
    const { update } = reporting(owners)
    const sent = []
    for (let n = 0; n < 4; n++) {
      const some = await update(LAG)
      expect(some.length).toBeLessThanOrEqual(340)
      sent.push(...some)
    }
    expect(sent.map(({ owner }) => owner)).toEqual(owners)
    const resolved = []
    for (let n = 0; n < 4; n++) resolved.push(...(await update()))
    expect(resolved.map(({ owner }) => owner)).toEqual(owners)
    expect(await update()).toEqual([])
  })
})
