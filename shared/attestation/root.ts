import { constants } from '@phala/dcap-qvl'
import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { certificatesOf, type LibraryBytes, spkiSha256 } from './certificate-chain.ts'
import { check } from './check-failed.ts'
import type { RootPolicy } from './policy.ts'

/** Part of the name of every simulated root. */
export const SIMULATED_NAME = 'SIMULATED'

export type Root = {
  kind: 'intel' | 'simulated'
  spkiSha256: string
  name: string
  der: LibraryBytes
}

/**
 * Identifies the root of a collateral's chains, if the policy accepts it. A simulated quote must also carry its own
 * mark (`hardware.ts`).
 * @param last the last certificate of a chain, not verified yet
 * @throws {CheckFailed} for a root that is neither Intel's nor marked as simulated, or that the policy does not accept
 */
export function judgedRoot(last: x509.X509Certificate, policy: RootPolicy): Root {
  const intel = new x509.X509Certificate(new Uint8Array(constants.TRUSTED_ROOT_CA_DER))
  const key = spkiSha256(last)
  if (key === spkiSha256(intel)) {
    check(policy.kind !== 'simulated', "the root is Intel's, and a simulated one is asked for")
    const { subject: name } = intel
    return { kind: 'intel', spkiSha256: key, name, der: constants.TRUSTED_ROOT_CA_DER }
  }
  const saysSo = last.subject.includes(SIMULATED_NAME)
  check(saysSo, `the root ${last.subject} is foreign: neither Intel's nor marked as simulated`)
  check(policy.kind !== 'intel', "the root is simulated, and Intel's is asked for")
  if (policy.kind === 'simulated')
    check(key === policy.spkiSha256.toLowerCase(), 'the root is simulated, and not the pinned one')
  const [der] = certificatesOf(last.toString('pem'))
  check(der !== undefined, 'the root does not parse')
  return { kind: 'simulated', spkiSha256: key, name: last.subject, der }
}
