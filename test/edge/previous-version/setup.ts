/** Records the statements that the edge sends to D1 and to the databases of its Durable Objects. */
import { runInDurableObject } from 'cloudflare:test'
import { afterAll, inject } from 'vitest'
import { env, queueOf } from '../app.ts'
import { sharedLog } from '../../previous-version/statement-log.ts'

const log = await sharedLog(inject('recorder'), async (statements) => {
  const database = Object.getPrototypeOf(env.DB) as D1Database
  const prepare: D1Database['prepare'] = Reflect.get(database, 'prepare')
  database.prepare = function (this: D1Database, text) {
    statements.add('edge', text)
    return prepare.call(this, text)
  }
  await runInDurableObject(queueOf('statements'), (_, { storage }) => {
    const storageSql = Object.getPrototypeOf(storage.sql) as SqlStorage
    const exec: SqlStorage['exec'] = Reflect.get(storageSql, 'exec')
    storageSql.exec = function (this: SqlStorage, text: string, ...values: unknown[]) {
      statements.add('objects', text)
      return exec.call(this, text, ...values)
    } as SqlStorage['exec']
  })
})
afterAll(() => log.send())
