import { runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { type OriginIdentity, originIdentity } from '../../../edge/trust/origin-identity.ts'
import { DAY_MS, HOUR_MS } from '../../../shared/durations.ts'
import { type Owner, post } from '../app.ts'
import {
  incidentsOf,
  inReports,
  mailsTo,
  newOwner,
  pass,
  patch,
  reportsOf,
  sent,
} from './alerts-harness.ts'

const known = async (owner: Owner) =>
  (await inReports(owner.id, 'SELECT identity FROM verified_origin')).map(
    ({ identity }) => JSON.parse(identity as string) as OriginIdentity,
  )
const checked = (owner: Owner) =>
  vi.waitFor(async () => expect(await known(owner)).toHaveLength(1), { timeout: 10_000 })

/** Changes what the object knows, as if the origin had been different an hour ago, and lets it check. */
async function hasChanged(owner: Owner, over: object): Promise<void> {
  const [is] = await known(owner)
  await inReports(
    owner.id,
    'UPDATE verified_origin SET identity = ?, checked_at = ?',
    JSON.stringify({ ...is, ...over }),
    Date.now() - HOUR_MS,
  )
  // A new incarnation, because the time of the next check is in memory too.
  await runInDurableObject(reportsOf(owner.id), async (_, state) => {
    await state.storage.setAlarm(Date.now())
    await state.storage.sync()
    state.abort('evicted')
  }).catch(() => {})
}

const OLD = 'ab'.repeat(32)

describe('evidence_changed', () => {
  it('alerts about each change of the verified evidence, with the old and the new value', async () => {
    const owner = await newOwner()
    await patch(owner, '/api/alerts/settings', { signals: ['evidence_changed'] })
    await checked(owner)
    expect(await incidentsOf(owner)).toEqual([])
    const [{ compose_hash: is } = {} as never] = await known(owner)
    await hasChanged(owner, { compose_hash: OLD })
    await sent(owner, 1)
    const message = `compose_hash was ${OLD}, is ${is}.`
    expect(await incidentsOf(owner)).toMatchObject([
      {
        trigger_id: null,
        subject: 'origin',
        signal: 'evidence_changed',
        state: 'open',
        code: 'compose_hash',
        message,
      },
    ])
    const [mail] = await mailsTo(owner.email)
    expect(mail!.subject).toBe('The evidence of the service changed: origin')
    expect(mail!.text).toContain(
      `${message}\nWhat this means: https://edge.test/docs/attestation\n`,
    )
    await hasChanged(owner, { mrtd: null, storage_key: OLD })
    await vi.waitFor(async () =>
      expect(await incidentsOf(owner)).toMatchObject([
        { state: 'open', code: 'mrtd,storage_key' },
        { state: 'resolved', code: 'compose_hash' },
      ]),
    )
    await pass(owner.id, DAY_MS)
    expect(await incidentsOf(owner, '?state=open')).toEqual([])
  })

  it('is silent while nothing changes', async () => {
    const owner = await newOwner()
    await patch(owner, '/api/alerts/settings', { signals: ['evidence_changed'] })
    await checked(owner)
    await hasChanged(owner, {})
    await vi.waitFor(async () => {
      const [row] = await inReports(owner.id, 'SELECT checked_at FROM verified_origin')
      expect(row!.checked_at).toBeGreaterThan(Date.now() - HOUR_MS / 2)
    })
    expect(await incidentsOf(owner)).toEqual([])
  })

  it('stores and checks nothing unless the user or a channel has the signal', async () => {
    const owner = await newOwner()
    await patch(owner, '/api/alerts/settings', { signals: ['run_failed'] })
    const alarm = () =>
      runInDurableObject(reportsOf(owner.id), (_, { storage }) => storage.getAlarm())
    expect([await known(owner), await alarm()]).toEqual([[], null])
    const { path, init } = post('/api/alerts/channels', {
      type: 'webhook',
      name: 'x',
      url: 'https://hooks.svc.dev',
      signals: ['evidence_changed'],
    })
    expect((await owner.api(path, init)).status).toBe(201)
    await checked(owner)
    await patch(owner, '/api/alerts/channels/1', { enabled: false })
    expect(await known(owner)).toEqual([])
    await patch(owner, '/api/alerts/channels/1', { enabled: true })
    await checked(owner)
    await patch(owner, '/api/alerts/settings', { muted: true })
    expect(await known(owner)).toEqual([])
  })

  it('ignores a rotation of the channel key, and another instance of the same machine', () => {
    const measurements = { mrtd: '1', rtmr0: '2', rtmr1: '3', rtmr2: '4' }
    const verified = (rotation: number) => ({
      report: {
        root: { kind: 'simulated', name: 'root', spkiSha256: 'aa' },
        appId: 'bb',
        composeHash: 'cc',
        instanceId: `instance-${rotation}`,
        tcbStatus: 'UpToDate',
        measurements: { ...measurements, rtmr3: `${rotation}` },
      } as unknown as Parameters<typeof originIdentity>[0]['report'],
      keys: {
        channel: new Uint8Array([rotation]),
        storage: new Uint8Array([7]),
        receipt: new Uint8Array([8]),
        channelValidUntil: rotation,
      },
    })
    expect(originIdentity(verified(1))).toEqual(originIdentity(verified(2)))
    expect(originIdentity(verified(1))).toEqual({
      root: 'aa',
      app_id: 'bb',
      compose_hash: 'cc',
      ...measurements,
      storage_key: '07',
    })
  })
})
