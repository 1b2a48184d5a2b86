import { afterEach, beforeEach, expect, it } from 'vitest'
import { MirrorBarrier } from '../../../origin/accounts/mirror/mirror-barrier.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { mirrorRequirements } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
  await database.db.insert(mirrorRequirements).values({ chain: 'chain', block: 0 })
})
afterEach(() => database.close())

function processOf(processId: string): MirrorBarrier {
  const now = () => performance.now()
  const onFailure = (error: unknown) => expect.unreachable(String(error))
  return new MirrorBarrier({ db: database.db, processId, chain: 'chain', now, onFailure })
}

it('stale permissions: a process that waits for an earlier block does not lower the requirement', async () => {
  await processOf('a').wait(10)
  await processOf('b').wait(5)
  const [required] = await database.db.select().from(mirrorRequirements)
  expect(required?.block).toBe(10)
})
