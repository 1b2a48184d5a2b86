/** Records the statements that the origin sends to Postgres. */
import { Client } from 'pg'
import { afterAll, inject } from 'vitest'
import { sharedLog } from './statement-log.ts'

const log = await sharedLog(inject('recorder'), (statements) => {
  const { prototype } = Client
  const query: (...args: unknown[]) => unknown = Reflect.get(prototype, 'query')
  const recorded = function (this: Client, ...args: unknown[]) {
    const [first] = args as [string | { text?: string } | undefined]
    const text = typeof first === 'string' ? first : first?.text
    if (text !== undefined) statements.add('origin', text)
    return query.apply(this, args)
  }
  prototype.query = recorded as typeof prototype.query
})
afterAll(() => log.send())
