import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { keyActor } from '../../../origin/audit-log/context.ts'
import { Refusals } from '../../../origin/audit-log/refusals.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { auditEntries } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'

const HOUR_MS = 60 * 60 * 1000
const word = (text: string) => `0x${text.padStart(64, '0')}`

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
})
afterEach(() => database.close())

it('attack: log flooding with many usage keys of an account adds 200 entries in an hour', async () => {
  let now = HOUR_MS
  const { db } = database
  const refusals = new Refusals({ db, now: () => now, newId: randomUUID, log: () => {} })
  const attempt = (account: string, key: number) =>
    refusals.record({
      context: {
        accountHash: word(account),
        operation: 'add_group',
        actor: keyActor(
          'usage_key',
          `0x${key.toString(16).padStart(64, '0').split('').reverse().join('')}`,
        ),
        requestId: null,
        clientAddress: null,
      },
      code: 'not_permitted',
      message: 'The key cannot create groups.',
    })
  const entries = async () => {
    await refusals.flush()
    return db.$count(auditEntries)
  }
  for (let key = 0; key < 250; key++) attempt('a', key)
  expect(await entries()).toBe(200)
  attempt('b', 0)
  expect(await entries()).toBe(201)
  now += HOUR_MS
  attempt('a', 249)
  expect(await entries()).toBe(202)
})
