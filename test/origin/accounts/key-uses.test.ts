import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { KeyUses } from '../../../origin/accounts/key-uses.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { keyUses } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'

let database: OpenDatabase
let nowMs: number
let uses: KeyUses
const another = () => new KeyUses({ db: database.db, now: () => nowMs })
beforeEach(async () => {
  database = await openFresh()
  nowMs = Date.parse('2026-05-22T13:05:00Z')
  uses = another()
})
afterEach(() => database.close())

const at = (text: string) => new Date(text)
const rows = () => database.db.select().from(keyUses)

describe('the last use of a key', () => {
  it('is known at once, without a query', async () => {
    uses.recordUse('0xa')
    expect(await rows()).toEqual([])
    const known = await uses.lastUsedAt(['0xa', '0xb'])
    expect([...known]).toEqual([['0xa', at('2026-05-22T13:05:00Z')]])
  })

  it('is the latest of many uses', async () => {
    uses.recordUse('0xa')
    await uses.flush()
    nowMs += 1_000
    uses.recordUse('0xa')
    expect((await uses.lastUsedAt(['0xa'])).get('0xa')).toEqual(at('2026-05-22T13:05:01Z'))
  })

  it('is visible to other processes once it is flushed', async () => {
    uses.recordUse('0xa')
    uses.recordUse('0xb')
    await uses.flush()
    expect((await another().lastUsedAt(['0xa', '0xb'])).size).toBe(2)
  })

  it('is not set back by a process that saw an earlier use', async () => {
    const late = another()
    late.recordUse('0xa')
    nowMs += 1_000
    uses.recordUse('0xa')
    await uses.flush()
    await late.flush()
    expect((await another().lastUsedAt(['0xa'])).get('0xa')).toEqual(at('2026-05-22T13:05:01Z'))
  })

  it('is kept for a retry if the flush fails', async () => {
    const { db } = await closed()
    const failing = new KeyUses({ db, now: () => nowMs })
    failing.recordUse('0xa')
    await expect(failing.flush()).rejects.toThrow()
    await expect(failing.flush(), 'it tries again').rejects.toThrow()
  })

  it('is flushed for more keys than fit into one statement', async () => {
    const hashes = Array.from({ length: 25_000 }, (_, n) => `0x${n}`)
    for (const hash of hashes) uses.recordUse(hash)
    await uses.flush()
    expect((await another().lastUsedAt(hashes)).size).toBe(25_000)
  })
})

async function closed(): Promise<OpenDatabase> {
  const gone = await openFresh()
  await gone.close()
  return gone
}
