/** Valid and invalid certificates for local servers. */
import type { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
// Must come before x509, which requires it for dependency injection on load.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 24 * 60 * 60 * 1000

export type Authority = Awaited<ReturnType<typeof makeAuthority>>

/** Creates a CA that only clients given its `pem` trust. */
export async function makeAuthority() {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=authority of a test',
    ...validFor(-1, 1),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    pem: certificate.toString('pem'),
    issue: (options: Issue) => issue(certificate, keys.privateKey, options),
    /** Issues a certificate for the caller's key. @returns PEM */
    certify: async (publicKey: webcrypto.CryptoKey, options: Issue) =>
      (await certify(certificate, keys.privateKey, publicKey, options)).toString('pem'),
  }
}

/**
 * The CA of a state folder (`origin/tls.ts`), as if compromised: all clients that trust the folder's origin trust the
 * certificates it issues.
 */
export async function authorityOf(stateDir: string): Promise<Pick<Authority, 'pem' | 'issue'>> {
  const read = (name: string) => readFileSync(join(stateDir, 'tls', name), 'utf8')
  const pem = read('ca.pem')
  const pkcs8 = x509.PemConverter.decodeFirst(read('ca.key'))
  const privateKey = await crypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign'])
  const certificate = new x509.X509Certificate(pem)
  return { pem, issue: (options) => issue(certificate, privateKey, options) }
}

type Issue = {
  names: string[]
  /** Validity relative to now, in days. */
  from?: number
  to?: number
}

async function issue(
  authority: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  options: Issue,
) {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await certify(authority, signingKey, keys.publicKey, options)
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { key: x509.PemConverter.encode(pkcs8, 'PRIVATE KEY'), cert: certificate.toString('pem') }
}

async function certify(
  authority: x509.X509Certificate,
  signingKey: webcrypto.CryptoKey,
  publicKey: webcrypto.CryptoKey,
  { names, from = -1, to = 1 }: Issue,
) {
  return x509.X509CertificateGenerator.create({
    subject: 'CN=server of a test',
    issuer: authority.subject,
    ...validFor(from, to),
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      // Distinguishes authorities of the same name, one of which the process may trust as well.
      await x509.AuthorityKeyIdentifierExtension.create(authority),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? 'ip' : 'dns', value })),
      ),
    ],
  })
}

function validFor(from: number, to: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(Date.now() + from * DAY_MS),
    notAfter: new Date(Date.now() + to * DAY_MS),
  }
}
