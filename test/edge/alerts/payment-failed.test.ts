import { describe, expect, it } from 'vitest'
import { createTrigger, type Owner } from '../app.ts'
import {
  checkAgain,
  checked,
  incidentsOf,
  inReports,
  mailsTo,
  newOwner,
  openIncidents,
  patch,
  sent,
} from './alerts-harness.ts'

const enable = (owner: Owner, signals: string[] = ['payment_failed']) =>
  patch(owner, '/api/alerts/settings', { signals })

describe('payment_failed', () => {
  it('opens one incident for all triggers of an account with a declined payment', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, {
      name: 'orders',
      usage_api_key: 'cents-1-declined first',
    })
    for (const key of ['cents-1-declined second', 'cents-2', 'usage-key', 'unknown-1'])
      await createTrigger(owner, { usage_api_key: key })
    expect((await enable(owner)).status).toBe(200)
    await checked(owner)
    expect(await incidentsOf(owner)).toMatchObject([
      {
        signal: 'payment_failed',
        state: 'open',
        trigger_id: id,
        code: 'declined',
        message: 'The account has a declined payment. One other trigger uses it.',
      },
    ])
    await sent(owner, 1)
    const [mail] = await mailsTo(owner.email)
    expect(mail).toMatchObject({ subject: 'A payment failed: orders' })
    expect(mail!.text).toContain('declined')
  })

  it('shows that a payment was disputed later, without another alert', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: 'cents-1-declined' })
    await enable(owner)
    await checked(owner)
    await sent(owner, 1)
    await inReports(owner.id, "UPDATE watched_keys SET payment_problem = 'disputed'")
    await enable(owner)
    expect(await openIncidents(owner)).toMatchObject([{ code: 'disputed' }])
    expect(await inReports(owner.id, 'SELECT id FROM incidents WHERE mail_pending = 1')).toEqual([])
  })

  it('is resolved when the account has no such payment any more', async () => {
    const owner = await newOwner()
    const { id } = await createTrigger(owner, { usage_api_key: 'cents-1-disputed' })
    await enable(owner)
    await checked(owner)
    expect(await openIncidents(owner)).toMatchObject([{ code: 'disputed' }])
    await patch(owner, `/api/triggers/${id}`, { usage_api_key: 'cents-1' })
    await checkAgain(owner)
    expect(await openIncidents(owner)).toEqual([])
  })

  it('opens no incident unless it is enabled, also if credit_low is', async () => {
    const owner = await newOwner()
    await createTrigger(owner, { usage_api_key: 'cents-9000-declined' })
    await enable(owner, ['credit_low'])
    await checked(owner)
    expect(await incidentsOf(owner)).toEqual([])
    await enable(owner)
    expect(await openIncidents(owner)).toMatchObject([{ signal: 'payment_failed' }])
    await enable(owner, [])
    expect(await openIncidents(owner)).toEqual([])
  })
})
