/** Rule 5: the TLS connection terminates at the machine that produced the evidence. */
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { certificatesInPem } from '../certificate-chain.ts'
import { check, CheckFailedError } from '../check-failed.ts'
import { parseChecksums } from '../checksums.ts'
import { sha256Hex } from '../digests.ts'
import { CHECKSUMS_FILE, type EvidenceBundle } from '../evidence.ts'
import type { Finding } from '../report.ts'
import { fileOf } from './evidence-files.ts'

const CERTIFICATE_FILE = /^cert-.+\.pem$/

export function certificateRule({ files, served_certificate }: EvidenceBundle): Finding {
  const sums = parseChecksums(fileOf(files, CHECKSUMS_FILE))
  const named = [...sums].filter(([name]) => CERTIFICATE_FILE.test(name))
  check(named.length > 0, `${CHECKSUMS_FILE} lists no certificate`)
  const leaves = named.map(([name, sum]) => {
    const pem = fileOf(files, name)
    check(sha256Hex(pem) === sum, `${name} does not match ${CHECKSUMS_FILE}`)
    return { name, sha256: sha256Hex(leafOf(name, pem)) }
  })
  if (!served_certificate)
    return {
      outcome: 'not_applicable',
      reason:
        'the certificate of the connection is unknown: browsers and Workers do not expose it, and a connection to an edge ends at the edge',
      open: ['Where the TLS connection ends: the holder of its key can read the traffic.'],
    }
  const served = sha256Hex(bytesOfBase64(served_certificate.der_base64))
  const same = leaves.find(({ sha256 }) => sha256 === served)
  check(same !== undefined, `the served certificate (SHA-256 ${served}) is not in the evidence`)
  return { outcome: 'passed', reason: `the served certificate is the one in ${same.name}` }
}

function leafOf(name: string, pem: string): Uint8Array {
  const [leaf] = certificatesInPem(pem)
  check(leaf !== undefined, `${name} contains no certificate`)
  try {
    return new Uint8Array(new x509.X509Certificate(new Uint8Array(leaf)).rawData)
  } catch {
    throw new CheckFailedError(`${name} has an invalid certificate`)
  }
}

function bytesOfBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    throw new CheckFailedError('the served certificate is not base64')
  }
}
