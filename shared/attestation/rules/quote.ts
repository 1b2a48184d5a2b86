/** Rule 1: a machine under an accepted root measured this event log, and is live. */
import { decodeHex } from '../../hex.ts'
import { NONCE_MAX_BYTES, NONCE_MIN_BYTES } from '../../limits.ts'
import { check } from '../check-failed.ts'
import type { CheckedCollateral } from '../collateral.ts'
import { sameBytes } from '../digests.ts'
import type { EvidenceBundle } from '../evidence.ts'
import { checkSameApp, type Machine, sameMeasurements, verifyMachine } from '../machine.ts'
import { nonceReportData } from '../nonce.ts'
import type { Policy } from '../policy.ts'
import type { Finding } from '../report.ts'

/** @throws {CheckFailed} */
export async function quoteRule(
  { attestation, fresh }: EvidenceBundle,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<Finding & { machine: Machine }> {
  const machine = await verifyMachine(attestation, collateral, policy, at)
  const { quote, tcb } = machine
  const isZero = quote.reportData.every((byte) => byte === 0)
  check(isZero, "the report data of /attestation's quote is not zero")
  const open: string[] = []
  if (policy.measurements) {
    const isKnown = policy.measurements.some((one) => sameMeasurements(one, quote.measurements))
    check(isKnown, 'the firmware (MRTD, RTMR0-2) is none of the accepted ones')
  } else
    open.push(
      'Which firmware and operating system run: MRTD and RTMR0-2 are signed, and compared with nothing.',
    )
  if (fresh) await checkFresh(fresh, machine, collateral, policy, at)
  else
    open.push(
      'Whether the machine is there now: no nonce was asked for, so the quote may be one of an earlier time.',
    )
  if (collateral.root.kind === 'simulated')
    open.push(
      'All that hardware would show: the root is simulated, and anybody can make such a quote.',
    )
  if (tcb.advisoryIds.length > 0)
    open.push(`What Intel says of this platform: ${tcb.advisoryIds.join(', ')}.`)
  const now = fresh ? ', and the nonce is answered' : ''
  return {
    outcome: 'passed',
    reason: `signed under ${collateral.root.name}, platform ${tcb.status}; the event log replays to RTMR0-3; report data is zero${now}`,
    open,
    machine,
  }
}

async function checkFresh(
  { nonce: hex, attestation }: NonNullable<EvidenceBundle['fresh']>,
  machine: Machine,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<void> {
  const nonce = decodeHex(hex)
  const fits =
    nonce !== undefined && nonce.length >= NONCE_MIN_BYTES && nonce.length <= NONCE_MAX_BYTES
  check(fits, `the nonce is not hex of ${NONCE_MIN_BYTES} to ${NONCE_MAX_BYTES} bytes`)
  const expected = await nonceReportData(nonce)
  const fresh = await verifyMachine(attestation, collateral, policy, at)
  const isAnswer = sameBytes(fresh.quote.reportData, expected)
  check(
    isAnswer,
    'the fresh quote does not carry the nonce: it was made for somebody else, or before',
  )
  checkSameApp('the fresh quote', fresh, machine)
}
