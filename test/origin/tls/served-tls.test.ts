import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { certificateOf, localAcmeAccountUri } from '../../../origin/tls/served-tls.ts'
import { openTlsSource } from '../../../origin/tls/tls-source.ts'

const PUBLIC_URL = 'https://localhost:8788'

it('a local stack serves its own certificate, with a placeholder for an ACME account', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
  try {
    const settings = { SVC_TLS_DIR: undefined, SVC_PUBLIC_URL: PUBLIC_URL }
    const { initial: first, reload: look } = await openTlsSource(settings, folder)
    expect(new X509Certificate(first.chain).checkHost('localhost')).toBe('localhost')
    expect(JSON.parse(first.acmeAccount)).toEqual({
      body: {},
      uri: 'https://localhost:8788/acme/acct/1',
    })
    expect(look(first)).toBe(first)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('the account URI of a local stack has the host and port of the public URL, without its path', () => {
  expect(localAcmeAccountUri('https://localhost:8788/some/path')).toBe(
    'https://localhost:8788/acme/acct/1',
  )
})

it.each([
  ['https://origin.example:8443/x', 'origin.example'],
  ['https://[::1]:8788', '::1'],
])('the evidence of %s is for %s', (publicUrl, domain) => {
  const tls = { key: '', chain: 'chain', acmeAccount: '{}' }
  expect(certificateOf(tls, publicUrl).domain).toBe(domain)
})
