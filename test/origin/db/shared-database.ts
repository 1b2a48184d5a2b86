import { afterAll, beforeAll } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'

/**
 * Tests on one database that several processes share.
 * @param tests gets the database as the process of that number has it open; there are so many processes, taken in turns
 */
export function onSharedDatabase(
  processes: number,
  tests: (open: (index: number) => OpenDatabase) => void,
): void {
  let fresh: FreshDatabase
  const opened: OpenDatabase[] = []
  beforeAll(async () => {
    fresh = await freshDatabase()
    for (let i = 0; i < processes; i++) opened.push(await openDatabase(fresh.url))
  })
  afterAll(async () => {
    await Promise.all(opened.map(({ close }) => close()))
    await fresh?.drop()
  })
  tests((index) => opened[index % opened.length]!)
}
