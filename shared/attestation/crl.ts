/**
 * Verifies certificate revocation lists (RFC 5280, section 6.3), because `@phala/dcap-qvl` uses the lists without
 * verifying them.
 */
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { decodeHex } from '../encoding/hex.ts'
import { check, CheckFailedError } from './check-failed.ts'

/**
 * @param hex the list as DER, in hex
 * @throws {CheckFailedError} if the list is malformed, from another issuer, not signed by its issuer, or not valid at
 * `at`
 */
export async function parseAndCheckCrl(
  name: string,
  hex: string,
  issuer: x509.X509Certificate,
  at: Date,
): Promise<x509.X509Crl> {
  const list = parseCrl(name, hex)
  check(list.issuer === issuer.subject, `the ${name} has a different issuer`)
  const signed = list.verify({ publicKey: issuer.publicKey })
  check(await signed.catch(() => false), `the ${name} is not signed by its issuer`)
  check(at >= list.thisUpdate, `the ${name} is not valid yet`)
  const { nextUpdate } = list
  check(nextUpdate !== undefined, `the ${name} has no date of its next update`)
  check(at <= nextUpdate, `the ${name} has expired`)
  return list
}

export function checkNotRevoked(
  list: x509.X509Crl,
  certificates: readonly x509.X509Certificate[],
): void {
  for (const certificate of certificates)
    check(list.findRevoked(certificate) === null, `${certificate.subject} is revoked`)
}

function parseCrl(name: string, hex: string): x509.X509Crl {
  const der = decodeHex(hex)
  if (der === undefined || der.length === 0) throw new CheckFailedError(`the ${name} is not hex`)
  try {
    const list = new x509.X509Crl(der)
    // These getters parse lazily. Reading them here detects malformed fields immediately.
    void [list.issuer, list.thisUpdate, list.nextUpdate, list.entries]
    return list
  } catch {
    throw new CheckFailedError(`the ${name} cannot be parsed`)
  }
}
