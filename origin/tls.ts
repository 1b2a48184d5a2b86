import type { webcrypto } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
// Must be imported before x509, whose dependency injection requires it.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { DAY_MS } from '../shared/durations.ts'
import { replaceFile } from './replace-file.ts'

/**
 * Paths of the certificates of a local stack's own CA and of the origin, under `tls/`, and the origin's private key and
 * certificate.
 */
export type TlsFiles = { caFile: string; certificateFile: string; key: string; cert: string }

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const CA_DAYS = 3650
const SERVER_DAYS = 365
/** Minimum remaining lifetime in days. A certificate with less is replaced at startup. */
const RENEW_DAYS = 30

/** Creates files that are missing or about to expire. */
export async function loadTls(stateDir: string): Promise<TlsFiles> {
  const folder = join(stateDir, 'tls')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = (name: string) => join(folder, name)
  if (!hasLifetimeLeft(file('ca.pem'))) await createAuthority(file)
  if (!hasLifetimeLeft(file('server.pem'))) await createServerCertificate(file)
  return {
    caFile: file('ca.pem'),
    certificateFile: file('server.pem'),
    key: readFileSync(file('server.key'), 'utf8'),
    cert: readFileSync(file('server.pem'), 'utf8'),
  }
}

type FilePath = (name: string) => string

function hasLifetimeLeft(certificateFile: string): boolean {
  if (!existsSync(certificateFile)) return false
  const certificate = new x509.X509Certificate(readFileSync(certificateFile, 'utf8'))
  return certificate.notAfter.getTime() > Date.now() + RENEW_DAYS * DAY_MS
}

async function createAuthority(file: FilePath): Promise<void> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=svc local stack CA',
    ...validity(CA_DAYS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  await writeKeyPair(file, 'ca', keys.privateKey, certificate)
  // Replaces the server certificate, because the previous CA signed it.
  await createServerCertificate(file)
}

async function createServerCertificate(file: FilePath): Promise<void> {
  const issuer = new x509.X509Certificate(readFileSync(file('ca.pem'), 'utf8'))
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(readFileSync(file('ca.key'), 'utf8')),
    ALGORITHM,
    false,
    ['sign'],
  )
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: issuer.subject,
    ...validity(SERVER_DAYS),
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  await writeKeyPair(file, 'server', keys.privateKey, certificate)
}

function validity(days: number): { notBefore: Date; notAfter: Date } {
  const now = Date.now()
  return { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + days * DAY_MS) }
}

// Writes the key first. Otherwise, a crash could leave a certificate without its key, and the pair would appear
// complete.
async function writeKeyPair(
  file: FilePath,
  name: string,
  privateKey: webcrypto.CryptoKey,
  certificate: x509.X509Certificate,
): Promise<void> {
  const pkcs8 = await crypto.subtle.exportKey('pkcs8', privateKey)
  replaceFile(file(`${name}.key`), `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY')}\n`)
  replaceFile(file(`${name}.pem`), `${certificate.toString('pem')}\n`)
}
