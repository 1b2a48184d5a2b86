/**
 * Parses and verifies Intel's certificate chains (SGX PCK Certificate and CRL Profile, 1.5) and the simulated chains of
 * local stacks.
 */
import { utils } from '@phala/dcap-qvl'
// reflect-metadata must be imported before x509, which uses it for dependency injection at load time.
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { check, CheckFailedError } from './check-failed.ts'
import { sha256Hex } from './digests.ts'

/**
 * Required common name of the certificate in each role. Without this check, the owner of one platform's key could sign
 * in Intel's name.
 */
const COMMON_NAMES = {
  root: /SGX Root CA$/,
  'PCK CA': /SGX PCK (?:Platform |Processor )CA$/,
  PCK: /SGX PCK Certificate$/,
  'TCB signing': /SGX TCB Signing$/,
} as const
type CertificateRole = keyof typeof COMMON_NAMES

export const PCK_CHAIN = ['PCK', 'PCK CA', 'root'] as const
export const CRL_CHAIN = ['PCK CA', 'root'] as const
export const TCB_CHAIN = ['TCB signing', 'root'] as const

const AUTHORITIES: readonly CertificateRole[] = ['root', 'PCK CA']

/** A certificate chain, leaf first. `roles` and `certificates` have the same length. */
type CertificateChain = {
  name: string
  roles: readonly CertificateRole[]
  certificates: readonly x509.X509Certificate[]
}

/** @throws {CheckFailedError} if the number or the roles of the certificates differ, or a certificate does not parse */
export function parseChain(
  name: string,
  pem: string,
  roles: readonly CertificateRole[],
): CertificateChain {
  const ders: Uint8Array[] = certificatesInPem(pem)
  check(
    ders.length === roles.length,
    `${name} has ${ders.length} certificates, expected ${roles.length}`,
  )
  const certificates = ders.map((der, at) => {
    const certificate = parseCertificate(name, der)
    const role = roles[at]!
    const [commonName = ''] = certificate.subjectName.getField('CN')
    check(
      COMMON_NAMES[role].test(commonName),
      `${name} has a certificate with the wrong role, expected ${role}`,
    )
    return certificate
  })
  return { name, roles, certificates }
}

export type DcapQvlBytes = ReturnType<typeof utils.extractCerts>[number]

/**
 * Splits PEM text with the parser of `@phala/dcap-qvl`, so that our checks see the same certificates as that library.
 */
export function certificatesInPem(pem: string): DcapQvlBytes[] {
  // `extractCerts` also accepts text, contrary to its type declaration.
  return utils.extractCerts(pem as unknown as DcapQvlBytes)
}

function parseCertificate(name: string, der: Uint8Array): x509.X509Certificate {
  try {
    return new x509.X509Certificate(new Uint8Array(der))
  } catch {
    throw new CheckFailedError(`${name} has an invalid certificate`)
  }
}

/**
 * Verifies the certification path (RFC 5280, section 6.1) up to a root with the given key.
 * @throws {CheckFailedError}
 */
export async function checkChain(
  { name, roles, certificates }: CertificateChain,
  root: { spkiSha256: string },
  at: Date,
): Promise<void> {
  for (const [index, certificate] of certificates.entries()) {
    const role = roles[index]!
    // Falls back to the certificate itself, because a root certificate is its own issuer.
    const issuer = certificates[index + 1] ?? certificate
    const what = `${name}: ${certificate.subject}`
    check(certificate.issuer === issuer.subject, `${what} names a different issuer`)
    const signed = certificate.verify({ publicKey: issuer.publicKey, signatureOnly: true })
    check(await signed.catch(() => false), `${what} is not signed by its issuer`)
    check(at >= certificate.notBefore, `${what} is not valid yet`)
    check(at <= certificate.notAfter, `${what} has expired`)
    if (role === 'root')
      check(spkiSha256(certificate) === root.spkiSha256, `${name} ends in a different root`)
    if (AUTHORITIES.includes(role)) checkAuthority(what, certificate)
    else check(!isAuthority(certificate), `${what} must not be a certificate authority`)
  }
}

export function spkiSha256(certificate: x509.X509Certificate): string {
  return sha256Hex(new Uint8Array(certificate.publicKey.rawData))
}

function isAuthority(certificate: x509.X509Certificate): boolean {
  return certificate.getExtension(x509.BasicConstraintsExtension)?.ca === true
}

function checkAuthority(what: string, certificate: x509.X509Certificate): void {
  check(isAuthority(certificate), `${what} is an issuer, but not a certificate authority`)
  const { keyCertSign, cRLSign } = x509.KeyUsageFlags
  const usages = certificate.getExtension(x509.KeyUsagesExtension)?.usages ?? 0
  check((usages & keyCertSign) !== 0, `${what} is not allowed to sign certificates`)
  check((usages & cRLSign) !== 0, `${what} is not allowed to sign revocation lists`)
}
