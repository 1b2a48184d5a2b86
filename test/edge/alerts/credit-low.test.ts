import { describe, expect, it, vi } from 'vitest'
import { createTrigger, type Owner } from '../app.ts'
import {
  checkAgain,
  checked,
  incidentsOf,
  inReports,
  mailsTo,
  newOwner,
  openIncidents,
  pass,
  patch,
  sent,
} from './alerts-harness.ts'

const enable = (owner: Owner, over: object = {}) =>
  patch(owner, '/api/alerts/settings', { signals: ['credit_low'], ...over })

/** Keys of one account, whose credit the double of the origin takes from the key. */
const keysWith = (cents: number) => [`cents-${cents} first`, `cents-${cents} second`]

describe('credit_low', () => {
  it('opens one incident for all triggers of an account with less than 5 dollars', async () => {
    const owner = await newOwner()
    const [first, second] = keysWith(499)
    const { id } = await createTrigger(owner, { name: 'orders', usage_api_key: first })
    await createTrigger(owner, { usage_api_key: second })
    for (const other of ['cents-500', 'usage-key', 'unknown-1'])
      await createTrigger(owner, { usage_api_key: other })
    await enable(owner)
    await checked(owner)
    expect(await incidentsOf(owner)).toMatchObject([
      {
        signal: 'credit_low',
        state: 'open',
        trigger_id: id,
        code: '$4.99',
        message: 'The account has $4.99 left. One other trigger uses it.',
      },
    ])
    await sent(owner, 1)
    expect(await mailsTo(owner.email)).toMatchObject([{ subject: 'The credit is low: orders' }])
  })

  it('shows the balance of the last check, without another alert', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: 'cents-490' })
    await enable(owner)
    await checked(owner)
    await sent(owner, 1)
    await inReports(owner.id, 'UPDATE watched_keys SET balance_cents = 0')
    await pass(owner.id, 60_000)
    const [before] = await openIncidents(owner)
    // Applies the settings to the balances of the last check.
    await enable(owner)
    const [incident] = await openIncidents(owner)
    expect(incident).toMatchObject({
      id: before!.id,
      code: '$0.00',
      message: 'The account has $0.00 left.',
    })
    expect(Date.parse(incident!.last_at)).toBeGreaterThan(Date.parse(before!.last_at))
    expect(await inReports(owner.id, 'SELECT id FROM incidents WHERE mail_pending = 1')).toEqual([])
  })

  it('is resolved when the account has enough credit again', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { usage_api_key: 'cents-0' })
    await enable(owner)
    await checked(owner)
    expect(await openIncidents(owner)).toMatchObject([{ code: '$0.00' }])
    await patch(owner, `/api/triggers/${id}`, { usage_api_key: 'cents-500' })
    await checkAgain(owner)
    expect(await openIncidents(owner)).toEqual([])
  })

  it('has a threshold that applies at once', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: 'cents-900' })
    await enable(owner)
    await checked(owner)
    expect(await openIncidents(owner)).toEqual([])
    const settings = await enable(owner, { thresholds: { credit_cents: 901 } })
    expect(await settings.json()).toMatchObject({
      thresholds: { expiry_days: 7, credit_cents: 901 },
    })
    expect(await openIncidents(owner)).toHaveLength(1)
    expect((await enable(owner, { thresholds: { credit_cents: 0 } })).status).toBe(422)
  })

  it('reads no balances unless it is enabled', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: 'cents-1' })
    await enable(owner, { signals: ['key_expiring'] })
    await checked(owner)
    const rows = await inReports(owner.id, 'SELECT account_hash, balance_cents FROM watched_keys')
    expect(rows).toEqual([{ account_hash: null, balance_cents: null }])
    expect(await incidentsOf(owner)).toEqual([])
    await enable(owner)
    await vi.waitFor(async () => expect(await openIncidents(owner)).toHaveLength(1), {
      timeout: 10_000,
    })
  })
})
