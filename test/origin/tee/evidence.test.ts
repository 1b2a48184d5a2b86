import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { TeeUnavailableError, type TeeProvider } from '../../../origin/tee/provider.ts'
import { SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import { EvidenceRenewer } from '../../../origin/tee/evidence-renewer.ts'
import { TlsFilesError } from '../../../origin/tls/operator-files.ts'
import type { ServedTls } from '../../../origin/tls/served-tls.ts'
import { evidenceApp } from './evidence-app.ts'

const HOUR_MS = 60 * 60 * 1000
const ROOT = randomBytes(32)
const PUBLIC_URL = 'https://origin.example'
const machine = new SimulatedProvider(ROOT, { appCompose: '{}' }, Date.now)
const tlsNamed = (name: string): ServedTls => ({
  key: `key of ${name}`,
  chain: `chain of ${name}`,
  acmeAccount: '{"uri":"https://ca.example/acct/1"}',
})

/** While true, the machine fails to create quotes. */
let isAway: boolean
let quotes: number
const tee: TeeProvider = {
  mode: 'simulated',
  rootKey: () => machine.rootKey(),
  info: () => machine.info(),
  collateral: () => machine.collateral(),
  quote: (data) => {
    quotes++
    return isAway ? Promise.reject(new TeeUnavailableError('away')) : machine.quote(data)
  },
}

let served: ReturnType<typeof evidenceApp>
let tending: EvidenceRenewer
let found: () => ServedTls
let serving: ServedTls
beforeEach(async () => {
  isAway = false
  quotes = 0
  served = evidenceApp(tee, ROOT)
  serving = tlsNamed('first')
  found = () => serving
  const { evidence, logs } = served
  tending = new EvidenceRenewer({
    evidence,
    publicUrl: PUBLIC_URL,
    tls: serving,
    reloadTls: () => found(),
    serve: (tls) => (serving = tls),
    log: (event, facts = {}) => void logs.push({ event, facts }),
  })
  await tending.start()
})
const file = async (name: string) => (await served.get(`/evidences/${name}`)).text
const certificate = () => file('cert-origin.example.pem')

describe('the evidence', () => {
  it('is not recreated while nothing has changed', async () => {
    const made = quotes
    served.clock.at += 10 * HOUR_MS
    await tending.renewIfDue()
    expect(quotes).toBe(made)
  })

  it('is recreated at the start of a day, and also valid for the next day', async () => {
    const before = await file('sha256sum.txt')
    served.clock.at += 11 * HOUR_MS
    await tending.renewIfDue()
    expect(JSON.parse(await file('channel-key.json')).valid_until).toBe('2026-11-25T00:00:00Z')
    expect(await file('sha256sum.txt')).not.toBe(before)
  })

  it('is kept until it expires if it cannot be recreated, and the failure is logged', async () => {
    const before = await file('sha256sum.txt')
    isAway = true
    served.clock.at = Date.parse('2026-11-23T23:59:59Z')
    await tending.renewIfDue()
    expect(await file('sha256sum.txt')).toBe(before)
    expect(served.logs).toContainEqual({ event: 'evidence.failed', facts: { reason: 'away' } })
    served.clock.at = Date.parse('2026-11-24T00:00:00Z')
    for (const path of [
      '/attestation',
      '/attestation/bundle',
      '/info',
      '/evidences/',
      '/evidences/quote.json',
    ]) {
      const { status, headers, text } = await served.get(path)
      expect([path, status, headers.has('retry-after')]).toEqual([path, 503, true])
      expect(JSON.parse(text).error).toBe('service_unavailable')
    }
    isAway = false
    await tending.renewIfDue()
    expect((await served.get('/attestation')).status).toBe(200)
  })
})

describe('a renewed certificate', () => {
  it('is served at the same time as the evidence that names it', async () => {
    const renewed = tlsNamed('second')
    found = () => renewed
    await tending.renewIfDue()
    expect(serving).toBe(renewed)
    expect(await certificate()).toBe('chain of second')
  })

  it('is not served before there is evidence for it', async () => {
    const [first, renewed] = [serving, tlsNamed('second')]
    found = () => renewed
    isAway = true
    await tending.renewIfDue()
    expect([serving, await certificate()]).toEqual([first, 'chain of first'])
    isAway = false
    await tending.renewIfDue()
    expect([serving, await certificate()]).toEqual([renewed, 'chain of second'])
  })

  it('is not used while its files are incomplete, which is logged once', async () => {
    const first = serving
    found = () => {
      throw new TlsFilesError('half')
    }
    await tending.renewIfDue()
    await tending.renewIfDue()
    expect([serving, await certificate()]).toEqual([first, 'chain of first'])
    expect(served.logs.filter(({ event }) => event === 'tls.unusable')).toHaveLength(1)
  })

  it('does not prevent the daily renewal of the evidence with the old certificate', async () => {
    found = () => {
      throw new TlsFilesError('half')
    }
    served.clock.at += 24 * HOUR_MS
    await tending.renewIfDue()
    expect(JSON.parse(await file('channel-key.json')).valid_until).toBe('2026-11-25T00:00:00Z')
  })
})
