/** Records the rows of the origin's database, as the code at this version writes them. */
import { sql } from 'drizzle-orm'
import { expect, inject, it } from 'vitest'
import { startProcessor } from '../doubles/processor/server.ts'
import { startOrigin } from '../origin/http/origin.ts'
import { executeRun } from '../origin/http/runs-client.ts'

const CODE = `async function main({ n }) { return { doubled: n * 2 } }`

it('records an account with payments, charges, caps, stored responses and outcomes', async () => {
  const double = await startProcessor()
  const root = Buffer.alloc(32, 7)
  const origin = await startOrigin(double, undefined, { root })
  const { db } = origin.database
  double.webhooks.mode = 'drop'

  const body = { account_name: 'kept', account_description: '', email: 'owner@example.com' }
  const { api_key: key } = (await origin.core('new_account', { body })).body
  const headers = { 'idempotency-key': 'a run' }
  const run = { code: CODE, js_params: { n: 21 } }
  const stored_response = await origin.core('svc_action', { key, body: run, headers })
  expect(stored_response.status).toBe(200)
  const group = { name: 'all', pkp_ids_permitted: [], cid_hashes_permitted: [] }
  expect((await origin.core('add_group', { key, body: group })).status).toBe(200)
  const usage = { name: 'capped', spend_cap_cents: 100, spend_window_seconds: 86_400 }
  const capped = await origin.usageKey(key, { ...usage, execute_in_groups: [0] })
  const intent = await origin.core('billing/create_payment_intent', {
    key,
    body: { amount_cents: 700 },
  })
  const { payment_intent_id } = intent.body
  double.paying.byCard(payment_intent_id)
  expect(
    (await origin.core('billing/confirm_payment', { key, body: { payment_intent_id } })).status,
  ).toBe(200)
  const run_id = 'T'.repeat(32) + 'B'.repeat(16)
  const credential = { api_key: key }
  const sealed = { credential, code: CODE, js_params: { n: 4 }, run: { id: run_id, attempt: 1 } }
  const { outcome } = await executeRun(origin, sealed)
  expect(outcome.status).toBe('success')

  await origin.services.credits.flush()
  const balance = (await origin.core('billing/balance', { key })).body
  const listed = (await db.execute(
    sql`select table_name as name from information_schema.tables where table_schema = 'public'`,
  )) as { rows: { name: string }[] }
  const tables: Record<string, string> = {}
  for (const { name } of listed.rows) {
    const read = sql.raw(`select json_agg(t)::text as rows from "${name}" t`)
    const { rows } = (await db.execute(read)) as { rows: { rows: string | null }[] }
    if (rows[0]?.rows) tables[name] = rows[0].rows
  }
  const response = await fetch(`${inject('recorder')}/data/origin`, {
    method: 'POST',
    body: JSON.stringify({
      recorded_at: Date.now(),
      root: root.toString('hex'),
      key,
      account: origin.hashOf(key),
      balance,
      idempotent: { headers, body: run, response: stored_response.body },
      sealed_run: { run_id, outcome },
      payment_intent_id,
      capped: origin.hashOf(capped),
      tables,
    }),
  })
  expect(response.status).toBe(200)
  await Promise.all([origin.close(), double.close()])
})
