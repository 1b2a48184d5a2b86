import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { SimulatedProvider } from '../../../origin/tee/simulated/provider.ts'
import { EvidenceRenewer } from '../../../origin/tee/evidence-renewer.ts'
import { readOperatorTls, TlsFilesError } from '../../../origin/tls/operator-files.ts'
import { openTlsSource } from '../../../origin/tls/tls-source.ts'
import { type Authority, makeAuthority } from '../../doubles/certificates.ts'
import { evidenceApp } from '../tee/evidence-app.ts'

const DOMAIN = 'origin.example'
const ACCOUNT = '{"uri":"https://ca.example/acme/acct/1"}'

let folder: string
let authority: Authority
let pair: { key: string; cert: string }
const put = (files: { chain?: string; key?: string; account?: string }) => {
  const names = { chain: 'fullchain.pem', key: 'privkey.pem', account: 'acme-account.json' }
  for (const [which, name] of Object.entries(names)) {
    const text = files[which as keyof typeof names]
    if (text !== undefined) writeFileSync(join(folder, name), text)
  }
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  authority = await makeAuthority()
  pair = await authority.issue({ names: [DOMAIN] })
  put({ chain: `${pair.cert}\n${authority.pem}\n`, key: pair.key, account: ACCOUNT })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the files of an ACME client', () => {
  it('are read as a whole: the chain unchanged, the key and the account', () => {
    expect(readOperatorTls(folder, DOMAIN)).toEqual({
      chain: `${pair.cert}\n${authority.pem}\n`,
      key: pair.key,
      acmeAccount: `${ACCOUNT}\n`,
    })
  })

  it.each([
    '{"body":{},"uri":"https://ca.example/1"}',
    '{"account_uri":"https://ca.example/1"}',
    '{"email":"","registration":{"accountURL":"https://ca.example/1"}}',
    '{"registration":{"body":{},"uri":"https://ca.example/1"}}',
  ])(
    'may describe the account in any client’s format, and only its URI is served: %s',
    (account) => {
      put({ account })
      expect(readOperatorTls(folder, DOMAIN).acmeAccount).toBe('{"uri":"https://ca.example/1"}\n')
    },
  )

  it('are rejected if the key belongs to another certificate, as between two writes', async () => {
    const renewed = await authority.issue({ names: [DOMAIN] })
    put({ key: renewed.key })
    expect(() => readOperatorTls(folder, DOMAIN)).toThrow(
      'does not match the certificate in fullchain.pem',
    )
    put({ chain: renewed.cert })
    expect(readOperatorTls(folder, DOMAIN).key).toBe(renewed.key)
  })

  it('are rejected if they are for another host', () => {
    expect(() => readOperatorTls(folder, 'other.example')).toThrow('not for other.example')
  })

  it.each([
    ['half a certificate', () => ({ chain: pair.cert.slice(0, 200) }), 'is not a certificate'],
    ['no certificate', () => ({ chain: '' }), 'is not a certificate'],
    ['half a key', () => ({ key: pair.key.slice(0, 60) }), 'is not a private key'],
    ['half an account', () => ({ account: '{"uri":' }), 'does not contain an account URI'],
    ['an account without URI', () => ({ account: '{}' }), 'does not contain an account URI'],
  ])('are rejected with %s', (_what, change, reason) => {
    put(change())
    expect(() => readOperatorTls(folder, DOMAIN)).toThrow(TlsFilesError)
    expect(() => readOperatorTls(folder, DOMAIN)).toThrow(reason)
  })

  it('are rejected if one is missing, and no error contains the key', () => {
    rmSync(join(folder, 'fullchain.pem'))
    expect(() => readOperatorTls(folder, DOMAIN)).toThrow('fullchain.pem cannot be read')
    put({ chain: pair.cert, key: `${pair.key.slice(0, 90)} canary` })
    try {
      readOperatorTls(folder, DOMAIN)
      expect.unreachable()
    } catch (error) {
      expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('canary')
    }
  })
})

describe('a certificate renewed in place', () => {
  let server: Server
  afterEach(() => void server.close())

  it('is served without a restart, and matches the evidence', async () => {
    const root = randomBytes(32)
    const tee = new SimulatedProvider(root, { appCompose: '{}' }, Date.now)
    const { evidence, get } = evidenceApp(tee, root)
    const publicUrl = `https://${DOMAIN}`
    const { initial: first, reload: look } = await openTlsSource(
      { SVC_TLS_DIR: folder, SVC_PUBLIC_URL: publicUrl },
      folder,
    )
    server = createServer({ key: first.key, cert: first.chain })
    const serve = (tls: typeof first) => server.setSecureContext({ key: tls.key, cert: tls.chain })
    const log = () => {}
    const tending = new EvidenceRenewer({
      evidence,
      publicUrl,
      tls: first,
      reloadTls: look,
      serve,
      log,
    })
    await tending.start()
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo
    const fits = async () => {
      const pem = (await get(`/evidences/cert-${DOMAIN}.pem`)).text
      expect(sha256(new X509Certificate(pem).raw)).toBe(sha256(await servedAt(port)))
      return sha256(new X509Certificate(pem).raw)
    }
    const before = await fits()

    const renewed = await authority.issue({ names: [DOMAIN] })
    put({ key: renewed.key })
    await tending.renewIfDue()
    expect(await fits()).toBe(before)

    put({ chain: renewed.cert })
    await tending.renewIfDue()
    expect(await fits()).toBe(sha256(new X509Certificate(renewed.cert).raw))
  })
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Returns the certificate of a handshake in DER. */
function servedAt(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Accepts any certificate, because the caller inspects it.
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw)
      socket.destroy()
    })
    socket.on('error', reject)
  })
}
