import type * as x509 from '@peculiar/x509'
import { COLLATERAL_MAX_BYTES } from '../limits.ts'
import { checkChain, CRL_CHAIN, parseChain, TCB_CHAIN } from './certificate-chain.ts'
import { check } from './check-failed.ts'
import { parseAndCheckCrl, checkNotRevoked } from './crl.ts'
import type { Collateral } from './evidence.ts'
import type { RootPolicy } from './policy.ts'
import { requireAcceptedRoot, type TrustRoot } from './root.ts'

/**
 * Collateral with verified certificate chains. `@phala/dcap-qvl` verifies the signed TCB info and QE identity later,
 * together with each quote.
 */
export type CheckedCollateral = {
  collateral: Collateral
  root: TrustRoot
  pckCa: x509.X509Certificate
  pckCrl: x509.X509Crl
}

export async function checkCollateral(
  collateral: Collateral,
  policy: RootPolicy,
  at: Date,
): Promise<CheckedCollateral> {
  const length = Object.values(collateral).reduce((sum, text) => sum + text.length, 0)
  check(length <= COLLATERAL_MAX_BYTES, 'the collateral is too long')
  const { pck_crl_issuer_chain, tcb_info_issuer_chain, qe_identity_issuer_chain } = collateral
  const crlChain = parseChain("the PCK list's chain", pck_crl_issuer_chain, CRL_CHAIN)
  const tcbInfoChain = parseChain("the TCB info's chain", tcb_info_issuer_chain, TCB_CHAIN)
  const qeIdentityChain = parseChain("the QE identity's chain", qe_identity_issuer_chain, TCB_CHAIN)
  const [pckCa, last] = crlChain.certificates as [x509.X509Certificate, x509.X509Certificate]
  const root = requireAcceptedRoot(last, policy)
  const chains = [crlChain, tcbInfoChain, qeIdentityChain]
  for (const chain of chains) await checkChain(chain, root, at)
  const rootCrl = await parseAndCheckCrl("root's revocation list", collateral.root_ca_crl, last, at)
  const pckCrl = await parseAndCheckCrl('PCK revocation list', collateral.pck_crl, pckCa, at)
  checkNotRevoked(
    rootCrl,
    chains.flatMap(({ certificates }) => certificates),
  )
  return { collateral, root, pckCa, pckCrl }
}
