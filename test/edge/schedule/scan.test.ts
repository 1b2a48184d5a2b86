import { beforeEach, describe, expect, it } from 'vitest'
import { scan, type ScanCounts, type VisitResult } from '../../../edge/schedule/scan.ts'
import { ScannerIndex } from '../../../edge/schedule/scanner-index.ts'
import { db, env, someOwner } from '../app.ts'

const NOW = Date.UTC(2026, 4, 22, 12)
const DAY = 24 * 60 * 60 * 1000

type Row = { id: string; version: number; look_at: number | null; checked_at: number }
type Visit = (id: string, version: number) => Promise<VisitResult | undefined>

let ownerId: string
beforeEach(async () => {
  await env.DB.exec('DELETE FROM triggers')
  ownerId = (await someOwner()).id
})

/** Inserts rows as objects would have written them. */
async function addRows(rows: Partial<Row>[]): Promise<void> {
  const values = rows.map((row, n) => ({
    id: `t${String(n).padStart(4, '0')}`,
    version: 1,
    look_at: null,
    checked_at: NOW,
    ...row,
  }))
  await env.DB.prepare(
    `INSERT INTO triggers (id, owner_id, kind, record, created_at, updated_at, version, look_at, checked_at)
     SELECT value ->> 'id', ?1, 'schedule', '{}', 0, 0, value ->> 'version', value ->> 'look_at', value ->> 'checked_at'
     FROM json_each(?2)`,
  )
    .bind(ownerId, JSON.stringify(values))
    .run()
}

async function stored(): Promise<Row[]> {
  const columns = 'id, version, look_at, checked_at'
  const { results } = await env.DB.prepare(`SELECT ${columns} FROM triggers ORDER BY id`).all<Row>()
  return results
}

/** @returns the IDs of visited objects, in order */
async function scanAt(
  now: number,
  visit: Visit,
  { counted, ...over }: { counted?: (counts: ScanCounts) => void; [option: string]: unknown } = {},
): Promise<string[]> {
  const visited: string[] = []
  const counts = await scan({
    rows: new ScannerIndex(db),
    reports: async () => [],
    visit: (id, version) => {
      visited.push(id)
      return visit(id, version)
    },
    now: () => now,
    sleep: () => new Promise(() => {}),
    log: () => {},
    ...over,
  })
  counted?.(counts)
  return visited
}

const fires: Visit = async () => ({ version: 1, nextTickAt: NOW + 60_000, late: true })

describe('a scan', () => {
  it('visits only schedules with a tick that should have fired 2 s ago', async () => {
    await addRows([
      { id: 'due', look_at: NOW - 2_000 },
      { id: 'own', look_at: NOW - 1_999 },
      { id: 'ahead', look_at: NOW + 1 },
      { id: 'disabled', look_at: null },
    ])
    expect(await scanAt(NOW, fires)).toEqual(['due'])
  })

  it('visits again after the next tick', async () => {
    await addRows([{ look_at: NOW - 5_000 }])
    await scanAt(NOW, fires)
    expect(await stored()).toMatchObject([{ look_at: NOW + 60_000, checked_at: NOW }])
    expect(await scanAt(NOW + 60_000, fires)).toEqual([])
    expect(await scanAt(NOW + 62_000, fires)).toHaveLength(1)
  })

  it('clears the time of a schedule without a next tick', async () => {
    await addRows([{ look_at: NOW - 5_000 }])
    await scanAt(NOW, async () => ({ version: 1, nextTickAt: null, late: false }))
    expect(await stored()).toMatchObject([{ look_at: null }])
  })

  it('deletes the row of a deleted trigger', async () => {
    await addRows([{ look_at: NOW - 5_000 }, { look_at: NOW - 5_000 }])
    await scanAt(NOW, (id, version) =>
      id === 't0000' ? Promise.resolve(undefined) : fires(id, version),
    )
    expect((await stored()).map(({ id }) => id)).toEqual(['t0001'])
  })

  it('does not overwrite a row that changed during the visit', async () => {
    await addRows([
      { id: 'changed', look_at: NOW - 5_000 },
      { id: 'gone', look_at: NOW - 5_000 },
    ])
    await scanAt(NOW, async (id) => {
      await env.DB.exec(`UPDATE triggers SET version = 2, look_at = 7 WHERE id = '${id}'`)
      return id === 'gone' ? undefined : { version: 1, nextTickAt: NOW + 60_000, late: true }
    })
    expect(await stored()).toMatchObject([
      { id: 'changed', look_at: 7 },
      { id: 'gone', look_at: 7 },
    ])
  })

  it('visits each of 1,000 schedules once', async () => {
    await addRows(Array.from({ length: 1_000 }, (_, n) => ({ look_at: NOW - 60_000 + (n % 7) })))
    const visited = await scanAt(NOW, fires)
    expect(visited).toHaveLength(1_000)
    expect(new Set(visited).size).toBe(1_000)
    const left = (await stored()).filter((row) => row.look_at !== NOW + 60_000)
    expect(left).toEqual([])
  })

  it('visits at most 32 objects at once', async () => {
    await addRows(Array.from({ length: 100 }, () => ({ look_at: NOW - 5_000 })))
    let most = 0
    let now = 0
    await scanAt(NOW, async () => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setTimeout(resolve, 1))
      now--
      return { version: 1, nextTickAt: null, late: false }
    })
    expect(most).toBe(32)
  })

  it('leaves the rest to the next scan when its time is up', async () => {
    await addRows(Array.from({ length: 600 }, (_, n) => ({ look_at: NOW - 60_000 + n })))
    let now = NOW
    const visited = await scanAt(
      NOW,
      async () => {
        now += 100
        return { version: 1, nextTickAt: NOW + DAY, late: true }
      },
      { now: () => now },
    )
    expect(visited.length).toBeLessThan(250)
    const next = await scanAt(now, fires)
    expect(visited.length + next.length).toBe(600)
    expect(next[0]).toBe(`t${String(visited.length).padStart(4, '0')}`)
  })
})

describe('a schedule that reported its tick', () => {
  const NEXT = NOW + 60_000
  const reports = (count: number, version = 1) => ({
    reports: async () =>
      Array.from({ length: count }, (_, n) => ({
        id: `t${String(n).padStart(4, '0')}`,
        version,
        nextTickAt: NEXT,
      })),
  })

  it('is not visited, however many others ticked in the same second', async () => {
    await addRows(Array.from({ length: 1_201 }, () => ({ look_at: NOW - 5_000, checked_at: NOW })))
    expect(await scanAt(NOW, fires, reports(1_200))).toEqual(['t1200'])
    const rows = await stored()
    expect(rows.every(({ look_at }) => look_at === NEXT)).toBe(true)
  })

  it('is visited after its next tick if it does not report that one', async () => {
    await addRows([{ look_at: NOW - 5_000 }])
    expect(await scanAt(NOW, fires, reports(1))).toEqual([])
    expect(await scanAt(NEXT + 1_999, fires)).toEqual([])
    expect(await scanAt(NEXT + 2_000, fires)).toEqual(['t0000'])
  })

  it('is visited if the report is for another version of the trigger', async () => {
    await addRows([{ look_at: NOW - 5_000, version: 2 }])
    expect(await scanAt(NOW, fires, reports(1))).toEqual(['t0000'])
  })

  it('does not count as late if only its report was lost', async () => {
    await addRows([{ look_at: NOW - 5_000 }, { look_at: NOW - 5_000 }])
    let counts: ScanCounts | undefined
    const visit: Visit = async (id) => ({ version: 1, nextTickAt: NEXT, late: id === 't0001' })
    await scanAt(NOW, visit, { counted: (of: ScanCounts) => (counts = of) })
    expect(counts).toEqual({ late: 1, unanswered: 0 })
  })
})

describe('a failing object', () => {
  it('delays no other, and is visited again by the next scan', async () => {
    await addRows(Array.from({ length: 40 }, (_, n) => ({ look_at: NOW - 60_000 + n })))
    const broken = 't0003'
    const visit: Visit = async (id, version) => {
      if (id === broken) throw new Error('broken')
      return fires(id, version)
    }
    expect(await scanAt(NOW, visit)).toHaveLength(40)
    const others = (await stored()).filter(({ id }) => id !== broken)
    expect(others.every((row) => row.look_at === NOW + 60_000)).toBe(true)
    expect(await scanAt(NOW + 30_000, visit)).toEqual([broken])
  })

  it('is skipped if it never responds', async () => {
    await addRows([{ look_at: NOW - 5_000 }, { look_at: NOW - 4_000 }])
    const visit: Visit = (id, version) =>
      id === 't0000' ? new Promise(() => {}) : fires(id, version)
    await scanAt(NOW, visit, { sleep: () => new Promise((resolve) => setTimeout(resolve, 5)) })
    expect((await stored()).map((row) => row.look_at)).toEqual([NOW, NOW + 60_000])
  })

  it('together with a thousand others does not delay a healthy one', async () => {
    const broken = Array.from({ length: 1_000 }, () => ({ look_at: NOW - 60_000 }))
    await addRows([...broken, { id: 'helped', look_at: NOW - 3_000 }])
    const visit: Visit = async (id, version) => {
      if (id !== 'helped') throw new Error('broken')
      return fires(id, version)
    }
    expect(await scanAt(NOW, visit)).toContain('helped')
  })
})

describe('rows that were not checked for a day', () => {
  it('of any kind are compared with their objects, oldest first, 50 per scan', async () => {
    await addRows(Array.from({ length: 60 }, (_, n) => ({ checked_at: NOW - 2 * DAY - n })))
    const visited = await scanAt(NOW, async () => ({ version: 1, nextTickAt: null, late: false }))
    expect(visited).toHaveLength(50)
    expect(visited[0]).toBe('t0059')
    const rest = await scanAt(NOW + 30_000, async () => ({
      version: 1,
      nextTickAt: null,
      late: false,
    }))
    expect(rest).toHaveLength(10)
    expect(await scanAt(NOW + 60_000, fires)).toEqual([])
  })

  it('are found by an index, as are due schedules', async () => {
    for (const where of [
      'look_at <= 1 ORDER BY look_at, id',
      'checked_at <= 1 ORDER BY checked_at',
    ]) {
      const query = `EXPLAIN QUERY PLAN SELECT id, version, look_at FROM triggers WHERE ${where} LIMIT 50`
      const { results } = await env.DB.prepare(query).all<{ detail: string }>()
      expect(results[0]!.detail).toMatch(/^SEARCH triggers USING INDEX triggers_(look|checked)/)
    }
  })
})
