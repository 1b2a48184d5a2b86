import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { simulatedAppCompose } from '../../../origin/tee/simulated-app-compose.ts'
import { SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import {
  type EvidenceQuote,
  type TeeProvider,
  TeeUnavailableError,
} from '../../../origin/tee/provider.ts'
import { CONCURRENT_QUOTES_MAX, QUOTES_PER_MINUTE } from '../../../shared/limits.ts'
import { CERTIFICATE, evidenceApp } from '../tee/evidence-app.ts'

const ROOT = randomBytes(32)
const machine = new SimulatedProvider(
  ROOT,
  { appCompose: simulatedAppCompose(undefined, 'local') },
  Date.now,
)
const reportData = (text: string) =>
  Buffer.from(JSON.parse(text).quote, 'hex').subarray(568, 632).toString('hex')
const quotedFor = (nonce: Buffer) =>
  createHash('sha512').update('svc/nonce/v1:').update(nonce).digest('hex')

let served: ReturnType<typeof evidenceApp>
const quotedForFiles = (nonce: Buffer, checksums: string) => {
  const sums = createHash('sha256').update(checksums).digest()
  return createHash('sha512').update('svc/bundle/v1:').update(sums).update(nonce).digest('hex')
}

beforeEach(async () => {
  served = evidenceApp(machine, ROOT)
  await served.evidence.make(CERTIFICATE)
})

describe('a quote for a nonce', () => {
  it.each([1, 32, 64])(
    'of %i bytes is fresh, and contains the hash of that nonce',
    async (bytes) => {
      const nonce = randomBytes(bytes)
      for (const hex of [nonce.toString('hex'), `0x${nonce.toString('hex').toUpperCase()}`]) {
        const { status, text } = await served.get(`/attestation?nonce=${hex}`)
        expect(status).toBe(200)
        expect(Object.keys(JSON.parse(text))).toEqual(['quote', 'event_log', 'vm_config'])
        expect(reportData(text)).toBe(quotedFor(nonce))
      }
    },
  )

  it('cannot be made over checksums of the caller’s choice, to be served as quote.json', async () => {
    const forged = createHash('sha256').update('checksums of my own files').digest('hex')
    for (const nonce of [forged, forged + '00'.repeat(32)]) {
      const { text } = await served.get(`/attestation?nonce=${nonce}`)
      expect(reportData(text).slice(0, 64)).not.toBe(forged)
    }
  })

  it.each([
    ['nothing', 'nonce='],
    ['65 bytes', `nonce=${'00'.repeat(65)}`],
    ['what is not hex', 'nonce=xyz'],
    ['half a byte', 'nonce=abc'],
    ['two nonces', 'nonce=00&nonce=01'],
  ])('is rejected for %s, with a hint on what to send instead', async (_what, query) => {
    const { status, text } = await served.get(`/attestation?${query}`)
    expect(status).toBe(400)
    expect(JSON.parse(text).message).toContain('nonce')
    expect(JSON.parse(text).fix).toContain('hex')
  })

  it('is limited per minute for one client address, but not for others', async () => {
    const ask = (address: string) => served.get('/attestation?nonce=00', address)
    for (let n = 0; n < QUOTES_PER_MINUTE; n++) expect((await ask('192.0.2.7')).status).toBe(200)
    const refused = await ask('192.0.2.7')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await ask('192.0.2.8')).status).toBe(200)
    expect((await served.get('/attestation', '192.0.2.7')).status).toBe(200)
    served.clock.at += 60_000
    expect((await ask('192.0.2.7')).status).toBe(200)
  })

  it('is limited for the entire /64 of an IPv6 address', async () => {
    const ask = (host: number) =>
      served.get('/attestation?nonce=00', `2001:db8::${host.toString(16)}`)
    for (let n = 0; n < QUOTES_PER_MINUTE; n++) await ask(n)
    expect((await ask(0xffff)).status).toBe(429)
  })

  it('is limited to a few at once over all callers, while the cached quote stays available', async () => {
    const waiting: (() => void)[] = []
    const slow: TeeProvider = {
      mode: 'simulated',
      rootKey: () => machine.rootKey(),
      info: () => machine.info(),
      collateral: () => machine.collateral(),
      quote: async (data): Promise<EvidenceQuote> => {
        if (data.some((byte) => byte !== 0) && data.length === 64)
          await new Promise<void>((resume) => waiting.push(resume))
        return machine.quote(data)
      },
    }
    const busy = evidenceApp(slow, ROOT)
    await busy.evidence.make(CERTIFICATE)
    const ask = (n: number) => busy.get('/attestation?nonce=00', `192.0.2.${n}`)
    const first = Array.from({ length: CONCURRENT_QUOTES_MAX }, (_, n) => ask(n))
    await expect.poll(() => waiting.length).toBe(CONCURRENT_QUOTES_MAX)
    const refused = await ask(100)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await busy.get('/attestation')).status).toBe(200)
    for (const resume of waiting.splice(0)) resume()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual(
      Array(CONCURRENT_QUOTES_MAX).fill(200),
    )
    const after = ask(101)
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]!()
    expect((await after).status).toBe(200)
  })
})

describe('the bundle of all evidence', () => {
  it('contains the same bytes as the single routes', async () => {
    const bundle = JSON.parse((await served.get('/attestation/bundle')).text)
    const at = async (path: string) => JSON.parse((await served.get(path)).text)
    expect(Object.keys(bundle)).toEqual(['attestation', 'info', 'files', 'collateral'])
    expect(bundle.attestation).toEqual(await at('/attestation'))
    expect(await at('/info')).toMatchObject(bundle.info)
    expect(bundle.collateral).toEqual(await at('/evidences/collateral.json'))
    const listing = (await served.get('/evidences/')).text
    const names = [...listing.matchAll(/href="([^"]+)"/g)].map(([, name]) => name!)
    expect([...Object.keys(bundle.files), 'collateral.json'].toSorted()).toEqual(names)
    for (const [name, text] of Object.entries(bundle.files))
      expect(text).toBe((await served.get(`/evidences/${name}`)).text)
  })

  it('contains a fresh quote over the nonce and the checksums', async () => {
    const nonce = randomBytes(32)
    const { text } = await served.get(`/attestation/bundle?nonce=${nonce.toString('hex')}`)
    const { fresh, files } = JSON.parse(text)
    expect(reportData(JSON.stringify(fresh))).toBe(quotedForFiles(nonce, files['sha256sum.txt']))
  })

  it('is of one set, even if the evidence is renewed while the quote is made', async () => {
    let resume = () => {}
    const held = new Promise<void>((resolve) => (resume = resolve))
    let isHeld = false
    const slow: TeeProvider = {
      mode: 'simulated',
      rootKey: () => machine.rootKey(),
      info: () => machine.info(),
      collateral: () => machine.collateral(),
      quote: async (data) => {
        if (isHeld) await held
        return machine.quote(data)
      },
    }
    const renewing = evidenceApp(slow, ROOT)
    await renewing.evidence.make(CERTIFICATE)
    const before = (await renewing.get('/evidences/sha256sum.txt')).text
    isHeld = true
    const nonce = randomBytes(32)
    const asked = renewing.get(`/attestation/bundle?nonce=${nonce.toString('hex')}`)
    isHeld = false
    await renewing.evidence.make({ ...CERTIFICATE, acmeAccount: '{"uri":"https://ca.example/2"}' })
    expect((await renewing.get('/evidences/sha256sum.txt')).text).not.toBe(before)
    resume()
    const { fresh, files } = JSON.parse((await asked).text)
    expect(files['sha256sum.txt']).toBe(before)
    expect(reportData(JSON.stringify(fresh))).toBe(quotedForFiles(nonce, before))
  })

  it('shares the limits of quotes for nonces, but not without a nonce', async () => {
    const ask = (path: string) => served.get(path, '192.0.2.7')
    for (let n = 0; n < QUOTES_PER_MINUTE; n++) await ask('/attestation?nonce=00')
    expect((await ask('/attestation/bundle?nonce=00')).status).toBe(429)
    expect((await ask('/attestation/bundle')).status).toBe(200)
    expect((await ask('/attestation/bundle?nonce=xyz')).status).toBe(400)
  })

  it('has no collateral while the platform’s service is unavailable', async () => {
    const away: TeeProvider = {
      mode: 'simulated',
      rootKey: () => machine.rootKey(),
      info: () => machine.info(),
      quote: (data) => machine.quote(data),
      collateral: async () => {
        throw new TeeUnavailableError('away')
      },
    }
    const alone = evidenceApp(away, ROOT)
    await alone.evidence.make(CERTIFICATE)
    const { status, text } = await alone.get('/attestation/bundle')
    expect([status, Object.keys(JSON.parse(text))]).toEqual([200, ['attestation', 'info', 'files']])
  })
})
