import { describe, expect, it, vi } from 'vitest'
import type { AlertSettingsRecord } from '../../../shared/wire/alert.ts'
import { createTrigger, fire, runOnce, script, slow, sql, success } from '../app.ts'
import { failing, incidentsOf, newOwner, patch } from './alerts-harness.ts'

const DEFAULTS = { failure_rate: null, queue_share: null }

describe('thresholds of a trigger', () => {
  it('let failure_rate open earlier than by default', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { action_code: script(success()) })
    const path = `/api/alerts/triggers/${id}`
    const changed = await patch(owner, path, { thresholds: { failure_rate: 0.05 } })
    expect(await changed.json()).toMatchObject({ thresholds: { ...DEFAULTS, failure_rate: 0.05 } })
    for (let n = 0; n < 19; n++) await runOnce(owner, await fire(id))
    expect(await incidentsOf(owner)).toEqual([])
    await patch(owner, `/api/triggers/${id}`, { action_code: failing })
    await runOnce(owner, await fire(id))
    await vi.waitFor(async () =>
      expect((await incidentsOf(owner)).map(({ message }) => message)).toContain(
        '1 of the last 20 runs failed.',
      ),
    )
  })

  it('let queue_share open earlier than by default, and end later', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, {
      action_code: script(slow(60_000)),
      max_queued_runs: 10,
      options: { concurrency: 1 },
    })
    await patch(owner, `/api/alerts/triggers/${id}`, { thresholds: { queue_share: 0.3 } })
    for (let n = 0; n < 3; n++) await fire(id)
    expect(await incidentsOf(owner)).toEqual([])
    for (let n = 0; n < 2; n++) await fire(id)
    await vi.waitFor(async () =>
      expect(await incidentsOf(owner)).toMatchObject([
        { signal: 'queue_share', state: 'open', message: '3 of 10 runs are queued.' },
      ]),
    )
  })

  it('are kept by other changes, and removed one by one or with all settings', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner)
    const path = `/api/alerts/triggers/${id}`
    const stored = () =>
      sql(id, 'SELECT failure_rate_threshold AS rate, queue_share_threshold AS share FROM trigger')
    const settings = async () =>
      (await (await owner.api('/api/alerts/settings')).json<AlertSettingsRecord>()).triggers
    await patch(owner, path, { thresholds: { failure_rate: 0.1, queue_share: 1 } })
    await patch(owner, path, { muted: true })
    const both = { failure_rate: 0.1, queue_share: 1 }
    expect(await settings()).toMatchObject([{ muted: true, thresholds: both }])
    expect(await stored()).toEqual([{ rate: 0.1, share: 1 }])
    await patch(owner, path, { thresholds: { failure_rate: null } })
    expect(await settings()).toMatchObject([{ thresholds: { ...both, failure_rate: null } }])
    expect(await stored()).toEqual([{ rate: null, share: 1 }])
    expect((await owner.api(path, { method: 'DELETE' })).status).toBe(204)
    expect(await stored()).toEqual([{ rate: null, share: null }])
    expect(await settings()).toEqual([])
  })

  it.each([
    { failure_rate: 0 },
    { queue_share: 1.1 },
    { failure_rate: '0.5' },
    { run_failed: 0.5 },
  ])('refuse %j', async (thresholds) => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner)
    const response = await patch(owner, `/api/alerts/triggers/${id}`, { thresholds })
    expect(response.status).toBe(422)
    expect(await response.text()).toContain('thresholds')
  })

  it('foreign trigger: cannot be changed by another user', async () => {
    const [owner, other] = [await newOwner(), await newOwner()]
    const { id } = await createTrigger(owner)
    const change = { thresholds: { failure_rate: 0.9 } }
    expect((await patch(other, `/api/alerts/triggers/${id}`, change)).status).toBe(404)
    const [row] = await sql(id, 'SELECT failure_rate_threshold AS rate FROM trigger')
    expect(row).toEqual({ rate: null })
  })

  it('are not settings of the account', async () => {
    const owner = await newOwner()
    const change = { thresholds: { failure_rate: 0.9 } }
    expect((await patch(owner, '/api/alerts/settings', change)).status).toBe(422)
  })
})
