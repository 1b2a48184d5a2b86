/**
 * Checks revocation lists (RFC 5280, section 6.3). `@phala/dcap-qvl` only looks up serial numbers, and accepts any
 * bytes as a list.
 */
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { decodeHex } from '../hex.ts'
import { check, CheckFailed } from './check-failed.ts'

/**
 * Parses a revocation list and checks its issuer, signature and validity period.
 * @param hex of DER
 * @throws {CheckFailed} if the list does not parse, is from another issuer, has a bad signature, or is not valid at
 * `at`
 */
export async function checkedList(
  name: string,
  hex: string,
  issuer: x509.X509Certificate,
  at: Date,
): Promise<x509.X509Crl> {
  const list = parsed(name, hex)
  check(list.issuer === issuer.subject, `the ${name} is of another issuer`)
  check(await isSignedBy(list, issuer), `the ${name} is not signed by its issuer`)
  check(at >= list.thisUpdate, `the ${name} is of the future`)
  const { nextUpdate } = list
  check(nextUpdate !== undefined, `the ${name} does not say how long it holds`)
  check(at <= nextUpdate, `the ${name} has expired`)
  return list
}

/** @throws {CheckFailed} */
export function checkNotRevoked(
  list: x509.X509Crl,
  certificates: readonly x509.X509Certificate[],
): void {
  for (const certificate of certificates)
    check(list.findRevoked(certificate) === null, `${certificate.subject} is revoked`)
}

function parsed(name: string, hex: string): x509.X509Crl {
  const der = decodeHex(hex)
  if (der === undefined || der.length === 0) throw new CheckFailed(`the ${name} is not hex`)
  try {
    const list = new x509.X509Crl(der)
    // These getters parse lazily. Reading them here reports malformed fields.
    void [list.issuer, list.thisUpdate, list.nextUpdate, list.entries]
    return list
  } catch {
    throw new CheckFailed(`the ${name} does not parse`)
  }
}

async function isSignedBy(list: x509.X509Crl, issuer: x509.X509Certificate): Promise<boolean> {
  try {
    return await list.verify({ publicKey: issuer.publicKey })
  } catch {
    return false
  }
}
