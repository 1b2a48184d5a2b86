import { constants } from '@phala/dcap-qvl'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { certificatesInPem, type DcapQvlBytes, spkiSha256 } from './certificate-chain.ts'
import { check } from './check-failed.ts'
import { SIMULATED_NAME } from './evidence.ts'
import type { RootPolicy } from './policy.ts'

export type RootIdentity = { kind: 'intel' | 'simulated'; spkiSha256: string; name: string }

export type TrustRoot = RootIdentity & { der: DcapQvlBytes }

/**
 * Requires a root of trust that the policy accepts. For a simulated root, `hardware.ts` also requires a simulated
 * quote.
 * @param last last certificate of a chain, not verified yet
 * @throws {CheckFailedError} if the root is neither Intel's nor marked as simulated, or the policy does not accept it
 */
export function requireAcceptedRoot(last: x509.X509Certificate, policy: RootPolicy): TrustRoot {
  const intel = new x509.X509Certificate(new Uint8Array(constants.TRUSTED_ROOT_CA_DER))
  const key = spkiSha256(last)
  if (key === spkiSha256(intel)) {
    check(policy.kind !== 'simulated', "the root is Intel's, but a simulated one is required")
    const { subject: name } = intel
    return { kind: 'intel', spkiSha256: key, name, der: constants.TRUSTED_ROOT_CA_DER }
  }
  const isMarkedSimulated = last.subject.includes(SIMULATED_NAME)
  check(
    isMarkedSimulated,
    `the root ${last.subject} is unknown: neither Intel's nor marked as simulated`,
  )
  check(policy.kind !== 'intel', "the root is simulated, but Intel's is required")
  if (policy.kind === 'simulated')
    check(key === policy.spkiSha256.toLowerCase(), 'the root is simulated, but not the pinned one')
  const [der] = certificatesInPem(last.toString('pem'))
  check(der !== undefined, 'the root cannot be parsed')
  return { kind: 'simulated', spkiSha256: key, name: last.subject, der }
}
