/** What has to hold on both databases: the embedded one, and a server with a pool for each process. */
import { afterAll, beforeAll, describe } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../../origin/db/open.ts'
import { openFresh } from './fresh-database.ts'
import { startPostgres, whyNoPostgres } from './postgres.ts'

/** @param tests gets the database as the process of that number has it open */
export function onBothDatabases(
  processes: number,
  tests: (open: (index: number) => OpenDatabase) => void,
): void {
  describe('on the embedded database', () => {
    let database: OpenDatabase
    beforeAll(async () => {
      database = await openFresh()
    })
    afterAll(() => database.close())
    tests(() => database)
  })

  describe.skipIf(whyNoPostgres)(`on a server ${whyNoPostgres ?? ''}`, () => {
    let server: Awaited<ReturnType<typeof startPostgres>>
    const opened: OpenDatabase[] = []
    beforeAll(async () => {
      server = await startPostgres()
      for (let i = 0; i < processes; i++)
        opened.push(await openDatabase({ url: server.url, stateDir: '' }))
    })
    afterAll(async () => {
      await Promise.all(opened.map(({ close }) => close()))
      await server?.close()
    })
    tests((index) => opened[index % opened.length]!)
  })
}
