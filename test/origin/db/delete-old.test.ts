import { lt } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deleteInBatches } from '../../../origin/db/delete-in-batches.ts'
import { replayIds } from '../../../origin/db/schema.ts'
import { onSharedDatabase } from './shared-database.ts'

onSharedDatabase(2, (open) => {
  const rows = (name: string, count: number, at: number) =>
    Array.from({ length: count }, (_, i) => ({
      requestId: `${name} ${i}`,
      expiresAt: new Date(at),
    }))

  it('deletes all old rows, in any number, and no others', async () => {
    const { db } = open(0)
    await db.insert(replayIds).values(rows('old', 12_001, 0))
    await db.insert(replayIds).values(rows('new', 2, 1_000))
    const old = lt(replayIds.expiresAt, new Date(1_000))
    expect(await deleteInBatches(db, replayIds, old)).toBe(12_001)
    expect(await db.$count(replayIds)).toBe(2)
  })
})
