import { afterAll, beforeAll } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

/**
 * Runs tests on one database that several processes share.
 * @param tests receives a function that returns the database as opened by the process with an index; indices wrap
 * around
 */
export function onSharedDatabase(
  processes: number,
  tests: (open: (index: number) => OpenDatabase) => void,
): void {
  let fresh: FreshDatabase
  const opened: OpenDatabase[] = []
  beforeAll(async () => {
    fresh = await freshDatabase()
    for (let i = 0; i < processes; i++) opened.push(await openDatabase({ url: fresh.url }))
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await fresh?.drop()
  })
  tests((index) => opened[index % opened.length]!)
}
