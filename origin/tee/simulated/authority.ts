/**
 * Simulates Intel as a certificate authority, which issues the same kinds of certificates, revocation lists and
 * signatures under its own root. The verifier for real quotes accepts them if it is given the simulated root, and
 * rejects them under Intel's root.
 */
import { createPublicKey, hash, type KeyObject, sign, type webcrypto } from 'node:crypto'
// Must be imported before @peculiar/x509, whose dependency injection needs it at load time.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { SIMULATED_NAME } from '../../../shared/attestation/evidence.ts'
import { type P256Key, privateKeyOf } from '../../keys/p256-key.ts'
import { pckExtension } from './pck-extension.ts'

export type KeyByName = (name: string) => P256Key

type CertifiedKey = {
  certificate: x509.X509Certificate
  key: KeyObject
  signing: webcrypto.CryptoKey
  pem: string
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
/** The period is fixed, because the certificates protect nothing of value and signed data has its own dates. */
const NOT_BEFORE = new Date('2026-01-01T00:00:00Z')
const NOT_AFTER = new Date('2049-12-31T00:00:00Z')

/** Returns the SHA-256 hash of the root's public key, in hex. The edge pins this value (`SIM_ROOT_SHA256`). */
export function simulatedRootPin(keyNamed: KeyByName): string {
  const spki = createPublicKey(privateKeyOf(keyNamed('root'))).export({
    type: 'spki',
    format: 'der',
  })
  return hash('sha256', spki)
}

export type SimulatedAuthority = Record<'root' | 'pckCa' | 'pck' | 'tcbSigning', CertifiedKey>

/** @param keyNamed must be deterministic, because the root certificate depends on it */
export async function createSimulatedAuthority(keyNamed: KeyByName): Promise<SimulatedAuthority> {
  const root = await issueCertificate(keyNamed('root'), 'SGX Root CA', {
    serial: '11',
    isAuthority: true,
  })
  const pckCa = await issueCertificate(keyNamed('pck ca'), 'SGX PCK Platform CA', {
    serial: '12',
    isAuthority: true,
    issuer: root,
  })
  const pck = await issueCertificate(keyNamed('pck'), 'SGX PCK Certificate', {
    serial: '13',
    issuer: pckCa,
    extensions: [pckExtension()],
  })
  const tcbSigning = await issueCertificate(keyNamed('tcb signing'), 'SGX TCB Signing', {
    serial: '14',
    issuer: root,
  })
  return { root, pckCa, pck, tcbSigning }
}

/** Returns the DER encoding in hex. */
export async function emptyRevocationList(
  issuer: CertifiedKey,
  from: Date,
  until: Date,
): Promise<string> {
  const list = await x509.X509CrlGenerator.create({
    issuer: issuer.certificate.subject,
    thisUpdate: from,
    nextUpdate: until,
    signingAlgorithm: ALGORITHM,
    signingKey: issuer.signing,
  })
  return Buffer.from(list.rawData).toString('hex')
}

/** Creates an ECDSA signature that consists of r and s, 32 bytes each. */
export function signEcdsa(key: KeyObject, bytes: Uint8Array): Buffer {
  return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
}

async function issueCertificate(
  key: P256Key,
  name: string,
  {
    serial,
    isAuthority = false,
    issuer,
    extensions = [],
  }: {
    serial: string
    isAuthority?: boolean
    issuer?: CertifiedKey
    extensions?: x509.Extension[]
  },
): Promise<CertifiedKey> {
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags
  const own = privateKeyOf(key)
  const signing = await crypto.subtle.importKey(
    'pkcs8',
    own.export({ type: 'pkcs8', format: 'der' }),
    ALGORITHM,
    true,
    ['sign'],
  )
  const publicKey = await crypto.subtle.importKey(
    'spki',
    createPublicKey(own).export({ type: 'spki', format: 'der' }),
    ALGORITHM,
    true,
    ['verify'],
  )
  const subject = `CN=${SIMULATED_NAME} ${name}`
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial,
    subject,
    issuer: issuer?.certificate.subject ?? subject,
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey: issuer?.signing ?? signing,
    extensions: [
      new x509.BasicConstraintsExtension(isAuthority, undefined, true),
      isAuthority
        ? new x509.KeyUsagesExtension(keyCertSign | cRLSign, true)
        : new x509.KeyUsagesExtension(digitalSignature, true),
      ...extensions,
    ],
  })
  return { certificate, key: own, signing, pem: `${certificate.toString('pem')}\n` }
}
