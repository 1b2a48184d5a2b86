/**
 * Simulates Intel as a certificate authority: issues the same kinds of certificates, revocation lists and signatures
 * under its own root. The verifier for real quotes accepts them if it is given that root, and rejects them under
 * Intel's root.
 */
import { createPublicKey, type KeyObject, createHash, sign, type webcrypto } from 'node:crypto'
// Must be imported before @peculiar/x509, whose dependency injection needs it at load time.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
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
/**
 * Validity period of the simulated certificates. Fixed, because they protect nothing of value, and the data signed with
 * them has its own dates.
 */
const NOT_BEFORE = new Date('2026-01-01T00:00:00Z')
const NOT_AFTER = new Date('2049-12-31T00:00:00Z')
/** Prefix of every common name, so that people recognize the certificates as simulated. */
export const SIMULATED_NAME = 'SIMULATED'

/** SHA-256 of the root's public key, in hex. An edge pins this value (`SIM_ROOT_SHA256`). */
export function simulatedRootPin(keyNamed: KeyByName): string {
  const spki = createPublicKey(privateKeyOf(keyNamed('root'))).export({
    type: 'spki',
    format: 'der',
  })
  return createHash('sha256').update(spki).digest('hex')
}

export class SimulatedAuthority {
  readonly root: CertifiedKey
  readonly pckCa: CertifiedKey
  readonly pck: CertifiedKey
  readonly tcbSigning: CertifiedKey

  private constructor(members: {
    root: CertifiedKey
    pckCa: CertifiedKey
    pck: CertifiedKey
    tcbSigning: CertifiedKey
  }) {
    this.root = members.root
    this.pckCa = members.pckCa
    this.pck = members.pck
    this.tcbSigning = members.tcbSigning
  }

  /** @param keyNamed must be deterministic, because it determines the root */
  static async create(keyNamed: KeyByName): Promise<SimulatedAuthority> {
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
    return new SimulatedAuthority({ root, pckCa, pck, tcbSigning })
  }

  /** Empty certificate revocation list, as DER. */
  static async revocationList(issuer: CertifiedKey, from: Date, until: Date): Promise<Buffer> {
    const list = await x509.X509CrlGenerator.create({
      issuer: issuer.certificate.subject,
      thisUpdate: from,
      nextUpdate: until,
      signingAlgorithm: ALGORITHM,
      signingKey: issuer.signing,
    })
    return Buffer.from(list.rawData)
  }

  /** Returns r and s, 32 bytes each. */
  static sign(by: CertifiedKey | KeyObject, bytes: Uint8Array): Buffer {
    const key = 'signing' in by ? by.key : by
    return sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' })
  }
}

async function issueCertificate(
  key: P256Key,
  name: string,
  given: {
    serial: string
    isAuthority?: boolean
    issuer?: CertifiedKey
    extensions?: x509.Extension[]
  },
): Promise<CertifiedKey> {
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
    serialNumber: given.serial,
    subject,
    issuer: given.issuer?.certificate.subject ?? subject,
    notBefore: NOT_BEFORE,
    notAfter: NOT_AFTER,
    signingAlgorithm: ALGORITHM,
    publicKey,
    signingKey: given.issuer?.signing ?? signing,
    extensions: [
      new x509.BasicConstraintsExtension(given.isAuthority === true, undefined, true),
      keyUsage(given.isAuthority === true),
      ...(given.extensions ?? []),
    ],
  })
  return { certificate, key: own, signing, pem: `${certificate.toString('pem')}\n` }
}

function keyUsage(isAuthority: boolean): x509.Extension {
  const { keyCertSign, cRLSign, digitalSignature } = x509.KeyUsageFlags
  if (isAuthority) return new x509.KeyUsagesExtension(keyCertSign | cRLSign, true)
  return new x509.KeyUsagesExtension(digitalSignature, true)
}
