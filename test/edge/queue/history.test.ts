import { describe, expect, it } from 'vitest'
import { RunHistory } from '../../../edge/queue/run-history.ts'
import { decodeCursor, encodeCursor } from '../../../edge/queue/page-cursor.ts'
import type { PageQuery } from '../../../edge/queue/run-pages.ts'
import type { RunRecord } from '../../../shared/wire/trigger.ts'
import { unknownTriggerId } from '../app.ts'
import { inObject, inTrigger, type Parts, parts, seed, someTrigger, watched } from './seeded.ts'

type Page = { runs: RunRecord[]; next_cursor: string | null }

/** Returns a page from its response, and the number of rows that were read for it. */
async function read(found: Parts, query: Partial<PageQuery>): Promise<Page & { rows: number }> {
  const { storage, rowsRead } = watched(found.storage)
  const { store, state, sql } = parts(storage)
  const before = rowsRead()
  const history = new RunHistory(store, sql, () => true)
  const page = await new Response(
    history.page(state.current!, { limit: 50, ...query }),
  ).json<Page>()
  return { ...page, rows: rowsRead() - before }
}

const sequences = ({ runs }: Page) => runs.map(({ id }) => Number(id.slice(32 + 'seeded-'.length)))
const range = (from: number, to: number) =>
  Array.from({ length: from - to + 1 }, (_, i) => from - i)

/** Seeds 10,000 runs; every tenth failed. Run n was queued at n seconds. */
function tenThousand({ sql }: Parts): void {
  seed(sql, { count: 10_000 })
  sql.exec("UPDATE runs SET status = 'failed' WHERE sequence % 10 = 0")
}

/** Seeded once, for tests that only read it. */
const full = await someTrigger()
await inObject(full, tenThousand)

describe('the cost of a page', () => {
  it.each<[string, (depth: number) => Partial<PageQuery>]>([
    ['by offset', (depth) => ({ offset: depth })],
    ['by cursor', (depth) => ({ before: 10_001 - depth })],
    ['by time', (depth) => ({ until: (10_001 - depth) * 1000 })],
    ['by time and offset', (depth) => ({ since: 1_000, until: 10_000_000, offset: depth })],
    ['by both times', (depth) => ({ since: 40_000, until: (10_001 - depth) * 1000 })],
    ['by status and cursor', (depth) => ({ status: 'failed', before: 10_001 - depth })],
  ])('is the same at depth 50 and at depth 9,900, %s', async (_, query) => {
    await inObject(full, async (found) => {
      const shallow = await read(found, { limit: 10, ...query(50) })
      const deep = await read(found, { limit: 10, ...query(9_900) })
      expect([shallow.runs.length, deep.runs.length]).toEqual([10, 10])
      // Ten runs need three rows each, and a binary search reads about fifteen.
      expect(shallow.rows).toBeLessThan(80)
      expect(Math.abs(deep.rows - shallow.rows)).toBeLessThanOrEqual(8)
    })
  })

  it('is the same while thousands of runs are queued and old ones were deleted', async () => {
    await inTrigger(async (found) => {
      seed(found.sql, { count: 3_000 })
      seed(found.sql, { count: 3_000, queuedAt: 3_001_000, status: 'queued' })
      found.sql.exec("DELETE FROM runs WHERE sequence <= 1000 AND status = 'success'")
      found.state.updateFields({ prunedThrough: 1000 })
      const { rows } = await read(found, { limit: 10, offset: 4_900 })
      expect(rows).toBeLessThan(80)
    })
  })
})

it('a new incarnation reads only live runs, however long the history is', async () => {
  await inTrigger((found) => {
    tenThousand(found)
    seed(found.sql, { count: 3, queuedAt: 10_001_000, status: 'queued' })
    const { storage, rowsRead } = watched(found.storage)
    const { store } = parts(storage)
    const before = rowsRead()
    expect(store.queuedTotals()).toEqual({ queued: 3, queuedBytes: 6 })
    expect(store.lastQueuedAt()).toBe(10_003_000)
    expect(rowsRead() - before).toBeLessThan(10)
  })
})

describe('a page', () => {
  it('by offset is correct if retention left single runs behind', async () => {
    await inTrigger(async (found) => {
      seed(found.sql, { count: 100 })
      found.sql.exec("UPDATE runs SET status = 'queued' WHERE sequence IN (3, 20, 50)")
      found.sql.exec("DELETE FROM runs WHERE sequence <= 60 AND status = 'success'")
      found.state.updateFields({ prunedThrough: 60 })
      const all = [...range(100, 61), 50, 20, 3]
      for (const offset of [0, 1, 38, 39, 40, 41, 42, 43, 44, 1000]) {
        const page = await read(found, { limit: 5, offset })
        expect(sequences(page)).toEqual(all.slice(offset, offset + 5))
        expect(page.next_cursor !== null).toBe(offset + 5 < all.length)
      }
      const since = await read(found, { since: 20_000, until: 62_000 })
      expect(sequences(since)).toEqual([61, 50, 20])
    })
  })

  it.each<[string, Partial<PageQuery>, number[]]>([
    ['since is included', { since: 9_998_000 }, [10_000, 9_999, 9_998]],
    ['until is not', { until: 3_000 }, [2, 1]],
    ['between two runs', { since: 4_500, until: 6_500 }, [6, 5]],
    ['nothing in between', { since: 4_100, until: 4_900 }, []],
    ['until before since', { since: 9_000, until: 2_000 }, []],
    ['after all', { since: 10_000_001 }, []],
    ['before all', { until: 1_000 }, []],
    ['failed', { status: 'failed', limit: 3 }, [10_000, 9_990, 9_980]],
    ['failed, later ones', { status: 'failed', limit: 2, offset: 2 }, [9_980, 9_970]],
    ['success', { status: 'success', limit: 2, until: 12_000 }, [11, 9]],
    ['queued', { status: 'queued' }, []],
    ['running, by time', { status: 'running', since: 0 }, []],
  ])('by time or status: %s', async (_, query, expected) => {
    await inObject(full, async (found) => {
      expect(sequences(await read(found, query))).toEqual(expected)
    })
  })

  it.each<[string, Partial<PageQuery>]>([
    ['all', {}],
    ['a status', { status: 'failed' }],
    ['a time', { since: 9_700_000 }],
  ])(
    'and the following ones list every run once while runs arrive and old ones are deleted: %s',
    async (_, filter) => {
      await inTrigger(async (found) => {
        tenThousand(found)
        found.sql.exec('DELETE FROM runs WHERE sequence <= 9500')
        const seen: number[] = []
        let cursor: string | null | undefined
        while (cursor !== null) {
          const before = cursor && decodeCursor(found.state.row!.triggerId, cursor)
          const page = await read(found, { limit: 7, ...filter, before: before || undefined })
          seen.push(...sequences(page))
          cursor = page.next_cursor
          seed(found.sql, { count: 3, queuedAt: 20_000_000, status: 'failed' })
          found.sql.exec('DELETE FROM runs WHERE sequence <= 9600')
        }
        const wanted = range(10_000, 9_601).filter((n) => {
          if (filter.status) return n % 10 === 0
          return filter.since ? n >= 9_700 : true
        })
        expect(seen).toEqual(wanted)
      })
    },
  )
})

describe('the inputs of a page', () => {
  it('include the smallest ones within 8 MiB, in page order', async () => {
    await inTrigger(async (found) => {
      seed(found.sql, { count: 100 })
      // Filled with spaces, because a NUL takes six characters in JSON.
      found.sql.exec(
        `UPDATE runs SET body_bytes = iif(sequence % 5 = 0, 524288, 1024),
         body = CAST(replace(hex(zeroblob(iif(sequence % 5 = 0, 262144, 512))), '0', ' ') AS BLOB)`,
      )
      const { runs } = await read(found, { limit: 100 })
      expect(sequences({ runs, next_cursor: null })).toEqual(range(100, 1))
      const omitted = runs.filter(({ input_omitted }) => input_omitted !== undefined)
      expect(omitted.map(({ id }) => Number(id.slice(39)))).toEqual([25, 20, 15, 10, 5])
      for (const { input, input_omitted } of runs)
        expect('event_raw' in input).toBe(input_omitted === undefined)
    })
  })

  it('are not read if omitted: 20 runs of 2 MiB cost as many rows as small ones, plus four bodies', async () => {
    await inTrigger(async (found) => {
      seed(found.sql, { count: 20 })
      const small = await read(found, { limit: 20 })
      const firing = JSON.stringify({ source: 'webhook', receivedAt: 0, headers: {}, query: {} })
      const body = new Uint8Array(2 * 1024 * 1024).fill(0x20)
      for (let i = 0; i < 20; i++)
        found.store.insert([{ suffix: `seeded-${i}`, revision: 1, queuedAt: 1e9, firing, body }])
      const large = await read(found, { limit: 20 })
      const whole = large.runs.filter(({ input_omitted }) => input_omitted === undefined)
      expect(whole.map(({ id }) => id)).toEqual(large.runs.slice(0, 4).map(({ id }) => id))
      // Each of the four bodies has two parts, and a third read finds the end.
      expect(large.rows).toBeLessThanOrEqual(small.rows + 4 * 3)
    })
  })
})

it('a page that is read while the trigger is deleted ends with the runs read so far', () =>
  inTrigger(async ({ sql, store, state, storage }) => {
    seed(sql, { count: 3 })
    const history = new RunHistory(store, sql, () => state.current !== undefined)
    const reader = history.page(state.current!, { limit: 50 }).getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader.read()).value)
    state.remove(5)
    await storage.deleteAll()
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += decoder.decode(next.value)
    expect(sequences(JSON.parse(text) as Page)[0]).toBe(3)
  }))

describe('a cursor', () => {
  it('is decoded to its position, up to the maximum', async () => {
    const id = await unknownTriggerId()
    for (const place of [0, 1, 255, 256, 10_000, 2 ** 40, 2 ** 48 - 1])
      expect(decodeCursor(id, encodeCursor(id, place))).toBe(place)
  })

  it('of another trigger is rejected', async () => {
    const cursor = encodeCursor(await unknownTriggerId(), 5)
    expect(decodeCursor(await unknownTriggerId(), cursor)).toBeUndefined()
  })

  it.each(['', 'x', '5', 'A'.repeat(20), 'A'.repeat(400), 'not base64url!'])(
    'is rejected if malformed: %j',
    async (text) => {
      expect(decodeCursor(await unknownTriggerId(), text)).toBeUndefined()
    },
  )
})
