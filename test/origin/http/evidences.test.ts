/** The evidence as it is served, checked by the documented rules and without our own code. */
import { createHash, hkdfSync } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { simulatedAppCompose } from '../../../origin/tee/simulated-app-compose.ts'
import { SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import { evidenceKeySchema } from '../../../shared/wire/sealed.ts'
import { CERTIFICATE, evidenceApp, evidenceKeys } from '../tee/evidence-app.ts'

const ROOT = Buffer.from(hkdfSync('sha256', 'root', '', 'test', 32))
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
/** Offsets in a TDX quote of version 4. */
const RTMR3_AT = 520
const REPORT_DATA_AT = 568

const machine = () =>
  new SimulatedProvider(ROOT, { appCompose: simulatedAppCompose(undefined, 'local') }, Date.now)
let served: ReturnType<typeof evidenceApp>
beforeAll(async () => {
  served = evidenceApp(machine(), ROOT)
  await served.evidence.make(CERTIFICATE)
})
const text = async (path: string) => (await served.get(path)).text
const json = async (path: string) => JSON.parse(await text(path))

describe('the verification rules for served evidence', () => {
  it('1: the event log, with its empty digests filled in, replays to RTMR3 of the quote', async () => {
    const { quote, event_log } = await json('/attestation')
    let register = Buffer.alloc(48)
    const type = Buffer.from('01000008', 'hex')
    for (const { imr, event, event_payload, digest } of JSON.parse(event_log)) {
      expect([imr, digest]).toEqual([3, ''])
      const payload = Buffer.from(event_payload, 'hex')
      const filled = createHash('sha384').update(type).update(`:${event}:`).update(payload).digest()
      register = createHash('sha384').update(register).update(filled).digest()
    }
    const bytes = Buffer.from(quote, 'hex')
    expect(bytes.subarray(RTMR3_AT, RTMR3_AT + 48)).toEqual(register)
    expect(bytes.subarray(REPORT_DATA_AT, REPORT_DATA_AT + 64)).toEqual(Buffer.alloc(64))
  })

  it('2: the compose hash is the SHA-256 of the app-compose text as served, and was measured', async () => {
    const { app_id, compose_hash, tcb_info } = await json('/info')
    expect(compose_hash).toBe(sha256(tcb_info.app_compose))
    const events = JSON.parse((await json('/attestation')).event_log)
    const payload = (name: string) =>
      events.find(({ event }: { event: string }) => event === name).event_payload
    expect([payload('compose-hash'), payload('app-id')]).toEqual([compose_hash, app_id])
  })

  it('3: every image of the compose text is pinned by its digest', async () => {
    const { tcb_info } = await json('/info')
    const compose: string = JSON.parse(tcb_info.app_compose).docker_compose_file
    const images = compose.match(/^\s*image:.*$/gm) ?? []
    expect(images.length).toBeGreaterThan(0)
    for (const image of images) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/)
  })

  it('4: the report data, in quote.json and in its quote, is the SHA-256 of the checksums, followed by zeros', async () => {
    const { quote, report_data } = await json('/evidences/quote.json')
    expect(report_data).toBe(sha256(await text('/evidences/sha256sum.txt')) + '00'.repeat(32))
    const inside = Buffer.from(quote, 'hex').subarray(REPORT_DATA_AT, REPORT_DATA_AT + 64)
    expect(inside.toString('hex')).toBe(report_data)
  })
})

describe('the evidence files', () => {
  it('are those that the checksums name, in that order, byte for byte', async () => {
    const lines = (await text('/evidences/sha256sum.txt')).split('\n')
    expect(lines.pop()).toBe('')
    const names = lines.map((line) => /^[0-9a-f]{64} {2}(\S+)$/.exec(line)?.[1])
    expect(names).toEqual([
      'acme-account.json',
      'cert-origin.example.pem',
      'channel-key.json',
      'receipt-key.json',
      'storage-key.json',
    ])
    for (const line of lines)
      expect(sha256(await text(`/evidences/${line.slice(66)}`))).toBe(line.slice(0, 64))
  })

  it('stay the same between requests', async () => {
    for (const name of ['sha256sum.txt', 'quote.json', 'channel-key.json', 'collateral.json'])
      expect(await text(`/evidences/${name}`)).toBe(await text(`/evidences/${name}`))
    expect(await text('/attestation')).toBe(await text('/attestation'))
  })

  it('contain the keys for requests, usage keys and receipts', async () => {
    const { channel, storage, receipt } = evidenceKeys(ROOT)
    const suite = 'DHKEM(P-256, HKDF-SHA256), HKDF-SHA256, AES-128-GCM'
    const point = (key: { publicKey: Buffer }) => key.publicKey.toString('base64url')
    expect(await json('/evidences/channel-key.json')).toEqual({
      suite,
      public_key: point(channel),
      epoch: 1,
      valid_until: '2026-11-24T00:00:00Z',
    })
    expect(await json('/evidences/storage-key.json')).toEqual({ suite, public_key: point(storage) })
    expect(await json('/evidences/receipt-key.json')).toEqual({
      alg: 'ES256',
      kid: sha256(receipt.publicKey).slice(0, 32),
      public_key: point(receipt),
    })
    for (const name of ['channel', 'storage'])
      evidenceKeySchema.parse(await json(`/evidences/${name}-key.json`))
  })

  it('name the ACME account that obtained the certificate', async () => {
    const account = { uri: 'https://ca.example/acme/acct/1' }
    expect(await json('/evidences/acme-account.json')).toEqual(account)
    expect(await text('/evidences/cert-origin.example.pem')).toBe(CERTIFICATE.chain)
  })

  it('are listed with links, including the certificate', async () => {
    const { headers, text: page } = await served.get('/evidences/')
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, name]) => name!)
    expect(links).toContain('cert-origin.example.pem')
    expect(links).toHaveLength(8)
    for (const name of links) expect((await served.get(`/evidences/${name}`)).status).toBe(200)
  })

  it('have the content types of their formats', async () => {
    const type = async (name: string) =>
      (await served.get(`/evidences/${name}`)).headers.get('content-type')
    expect(await type('quote.json')).toBe('application/json')
    expect(await type('sha256sum.txt')).toBe('text/plain; charset=utf-8')
    expect(await type('cert-origin.example.pem')).toBe('application/pem-certificate-chain')
  })

  it.each(['nothing.json', 'cert-other.example.pem', '..%2froot.key', '__proto__', 'a/b'])(
    'include no others: %s is 404, with a hint on what to do',
    async (name) => {
      const { status, text: body } = await served.get(`/evidences/${name}`)
      expect(status).toBe(404)
      expect(JSON.parse(body)).toMatchObject({ error: 'not_found', fix: expect.any(String) })
    },
  )

  it('can be read by pages of other sites and are never cached, like the other endpoints for verification', async () => {
    for (const path of [
      '/attestation',
      '/attestation/bundle',
      '/info',
      '/evidences/',
      '/evidences/quote.json',
    ]) {
      const { headers } = await served.get(path)
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})

describe('two processes with one root key', () => {
  it('serve the same key files and the same checksums, byte for byte', async () => {
    const other = evidenceApp(machine(), ROOT)
    await other.evidence.make(CERTIFICATE)
    // Later on the same day.
    other.clock.at += 5 * 60 * 60 * 1000
    await other.evidence.make(CERTIFICATE)
    for (const name of ['channel-key.json', 'receipt-key.json', 'storage-key.json'])
      expect((await other.get(`/evidences/${name}`)).text).toBe(await text(`/evidences/${name}`))
    const sums = (await other.get('/evidences/sha256sum.txt')).text
    expect(sums).toBe(await text('/evidences/sha256sum.txt'))
  })
})
