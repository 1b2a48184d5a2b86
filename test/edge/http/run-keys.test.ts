import { describe, expect, it } from 'vitest'
import {
  createTrigger,
  edge,
  kill,
  type Owner,
  post,
  runOnce,
  script,
  slow,
  someOwner,
  sql,
  success,
} from '../app.ts'

const owner: Owner = await someOwner()
/** An origin that asks for an hour's delay, so that queued runs stay queued. */
const HELD = script({ refuse: { status: 503, error: 'service_unavailable', retry_after_s: 3_600 } })

async function deliver(id: string, event: object): Promise<string> {
  const response = await edge(`/webhook/${id}`, {
    method: 'POST',
    body: JSON.stringify(event),
    headers: { 'content-type': 'application/json' },
  })
  const { run_id } = await response.json<{ run_id: string }>()
  return run_id
}
const keysOf = async (id: string) =>
  (await sql(id, 'SELECT key FROM run_keys ORDER BY sequence')).map(({ key }) => key)
const patch = (id: string, body: object) =>
  owner.api(`/api/triggers/${id}`, { ...post('', body).init, method: 'PATCH' })

describe('a trigger with an order key', () => {
  it('determines the key of each run from its event, also of replays and test runs', async () => {
    const { id } = await createTrigger(owner, {
      action_code: HELD,
      options: { order_key: 'event.order.id' },
    })
    const run = await deliver(id, { order: { id: 7 } })
    await deliver(id, { order: { id: 'x' } })
    await deliver(id, {})
    await owner.api(`/api/runs/${run}/replay`, post('', {}).init)
    await owner.api(`/api/triggers/${id}/test`, post('', { event: { order: { id: 8 } } }).init)
    expect(await keysOf(id)).toEqual([
      'order_key:7',
      'order_key:x',
      null,
      'order_key:7',
      'order_key:8',
    ])
  })

  it('runs the events of each key in order, and removes the keys of finished runs', async () => {
    const { id } = await createTrigger(owner, {
      action_code: script(slow(20)),
      max_runs_per_minute: 6_000,
      options: { order_key: 'event.key', concurrency: 8 },
    })
    const runs: string[] = []
    for (let n = 0; n < 12; n++) runs.push(await deliver(id, { key: n % 3 }))
    const ended = await Promise.all(runs.map((run) => runOnce(owner, run)))
    for (let key = 0; key < 3; key++) {
      const times = ended.filter((_, n) => n % 3 === key)
      for (const [n, next] of times.entries())
        if (n > 0)
          expect(Date.parse(next.started_at!)).toBeGreaterThanOrEqual(
            Date.parse(times[n - 1]!.finished_at!),
          )
    }
    expect(await keysOf(id)).toEqual([])
  })

  it('keeps the keys of queued runs when the object is killed, and cancels and purges them', async () => {
    const { id } = await createTrigger(owner, {
      action_code: HELD,
      options: { order_key: 'event.key' },
    })
    for (const key of [1, 1, 1, 2]) await deliver(id, { key })
    await kill(id)
    expect(await keysOf(id)).toHaveLength(4)
    // The first run of a key may be in flight, which a purge does not cancel.
    const purged = async () => {
      await owner.api(`/api/triggers/${id}/purge`, post('', {}).init)
      return keysOf(id)
    }
    await expect.poll(purged, { timeout: 20_000 }).toEqual([])
  })
})

describe('a trigger without keys', () => {
  it('has no rows for them, and gets them with the option', async () => {
    const { id } = await createTrigger(owner, { action_code: HELD })
    await deliver(id, { key: 1 })
    expect(await keysOf(id)).toEqual([])
    await patch(id, { options: { concurrency_key: 'event.key' } })
    await deliver(id, { key: 1 })
    expect(await keysOf(id)).toEqual([null, 'concurrency_key:1'])
  })

  it('starts its runs at once, as before', async () => {
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    await runOnce(owner, await deliver(id, {}))
    expect(await sql(id, 'SELECT keyed FROM trigger')).toEqual([{ keyed: 0 }])
  })

  it('cannot have both kinds of keys, and a schedule neither', async () => {
    const options = { order_key: 'event.a', concurrency_key: 'event.b' }
    const { id } = await createTrigger(owner)
    expect((await patch(id, { options })).status).toBe(422)
    const schedule = await owner.api(
      '/api/triggers',
      post('', {
        name: 's',
        kind: 'schedule',
        config: { cron: '0 * * * *' },
        action_code: HELD,
        usage_api_key: 'usage-key',
        options: { order_key: 'source' },
      }).init,
    )
    expect(schedule.status).toBe(422)
  })
})
