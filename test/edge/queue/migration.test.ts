import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import migrations from '../../../drizzle/trigger-queue/migrations.js'
import { createTrigger, fire, kill, queueOf, runOnce, seen, someOwner, sql } from '../app.ts'

/** Recreates an object's tables in their first version, with the trigger and its key in one row. */
async function setBack(id: string): Promise<void> {
  await runInDurableObject(queueOf(id), (_, { storage }) => {
    const [row] = storage.sql.exec('SELECT * FROM trigger').toArray()
    const [revision] = storage.sql.exec('SELECT * FROM revisions').toArray()
    const [key] = storage.sql.exec('SELECT sealed FROM usage_keys').toArray()
    const names = storage.sql
      .exec<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`)
      .toArray()
    for (const { name } of names)
      if (!/^(sqlite_|_cf_|__drizzle)/.test(name)) storage.sql.exec(`DROP TABLE "${name}"`)
    const first = migrations.migrations.m0000!
    for (const statement of first.split('--> statement-breakpoint')) storage.sql.exec(statement)
    storage.sql.exec('DELETE FROM __drizzle_migrations')
    storage.sql.exec(
      'INSERT INTO __drizzle_migrations (id, hash, created_at) VALUES (1, ?, ?)',
      '',
      migrations.journal.entries[0]!.when,
    )
    storage.sql.exec(
      'INSERT INTO revisions VALUES (?, ?, ?, ?)',
      ...Object.values(revision as Record<string, SqlStorageValue>),
    )
    storage.sql.exec(
      `INSERT INTO trigger VALUES (1, ?, ?, ?, 'webhook', '{}', 1, 60, 100, 8, 1, ?, ?, ?)`,
      row!.trigger_id,
      row!.owner_id,
      row!.name,
      key!.sealed,
      row!.created_at,
      row!.updated_at,
    )
  })
  await kill(id)
}

it('migrates an object of the first version with its trigger, key and webhook', async () => {
  const owner = await someOwner()
  const stored = { usage_api_key: 'an-older-key', max_queued_runs: 100 }
  const made = await createTrigger(owner, stored)
  await setBack(made.id)
  const { stats: _, ...shown } = await (await owner.api(`/api/triggers/${made.id}`)).json<any>()
  const { stats: __, ...before } = made as any
  expect(shown).toEqual(before)
  const run = await runOnce(owner, await fire(made.id))
  expect(run.status).toBe('success')
  expect(await seen(run.id)).toMatchObject([{ usageKey: 'an-older-key' }])
  expect(await sql(made.id, 'SELECT count(*) AS keys FROM usage_keys')).toEqual([{ keys: 1 }])
})
