import { createHash, randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { simulatedAppCompose } from '../../../origin/tee/simulated-app-compose.ts'
import { SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import type { EvidenceQuote, TeeProvider } from '../../../origin/tee/provider.ts'
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
