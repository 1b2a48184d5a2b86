import type { Collateral } from '../../../shared/attestation/evidence.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import { rfc3339 } from '../../rfc3339.ts'
import { emptyRevocationList, signEcdsa, type SimulatedAuthority } from './authority.ts'

const VALID_DAYS = 30
/** MRSIGNER of the simulated quoting enclave, used in the quote and in the collateral's enclave identity. */
export const QE_SIGNER = Buffer.alloc(32, 0x44)

/**
 * Creates collateral that rates the simulated platform, with security versions of zero, as up to date. The collateral
 * is valid from one day before `at`.
 */
export async function simulatedCollateral(
  authority: SimulatedAuthority,
  at: Date,
): Promise<Collateral> {
  const from = new Date(at.getTime() - DAY_MS)
  const until = new Date(at.getTime() + VALID_DAYS * DAY_MS)
  const dates = { issueDate: rfc3339(from), nextUpdate: rfc3339(until) }
  const { root, pckCa, tcbSigning } = authority
  const tcb_info = JSON.stringify(tcbInfo(dates))
  const qe_identity = JSON.stringify(qeIdentity(dates))
  const signed = (text: string) => signEcdsa(tcbSigning.key, Buffer.from(text)).toString('hex')
  return {
    pck_crl_issuer_chain: pckCa.pem + root.pem,
    root_ca_crl: await emptyRevocationList(root, from, until),
    pck_crl: await emptyRevocationList(pckCa, from, until),
    tcb_info_issuer_chain: tcbSigning.pem + root.pem,
    tcb_info,
    tcb_info_signature: signed(tcb_info),
    qe_identity_issuer_chain: tcbSigning.pem + root.pem,
    qe_identity,
    qe_identity_signature: signed(qe_identity),
  }
}

type Dates = { issueDate: string; nextUpdate: string }

function tcbInfo(dates: Dates) {
  const components = () => Array.from({ length: 16 }, () => ({ svn: 0 }))
  return {
    id: 'TDX',
    version: 3,
    ...dates,
    fmspc: zeros(6),
    pceId: zeros(2),
    tcbType: 0,
    tcbEvaluationDataNumber: 1,
    tdxModule: { mrsigner: zeros(48), attributes: zeros(8), attributesMask: zeros(8) },
    tcbLevels: [
      {
        tcb: { sgxtcbcomponents: components(), pcesvn: 0, tdxtcbcomponents: components() },
        tcbDate: dates.issueDate,
        tcbStatus: 'UpToDate',
      },
    ],
  }
}

function qeIdentity(dates: Dates) {
  return {
    id: 'TD_QE',
    version: 2,
    ...dates,
    tcbEvaluationDataNumber: 1,
    miscselect: zeros(4),
    miscselectMask: zeros(4),
    attributes: zeros(16),
    attributesMask: zeros(16),
    mrsigner: QE_SIGNER.toString('hex'),
    isvprodid: 1,
    tcbLevels: [{ tcb: { isvsvn: 1 }, tcbDate: dates.issueDate, tcbStatus: 'UpToDate' }],
  }
}

const zeros = (bytes: number) => '00'.repeat(bytes)
