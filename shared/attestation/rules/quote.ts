/**
 * Rule 1: a machine under an accepted root measured this event log. If the verifier chose a nonce, a fresh quote also
 * proves that the machine is live.
 */
import { sameBytes } from '../../encoding/bytes.ts'
import { decodeHex } from '../../encoding/hex.ts'
import { NONCE_MAX_BYTES, NONCE_MIN_BYTES } from '../../limits.ts'
import { check } from '../check-failed.ts'
import type { CheckedCollateral } from '../collateral.ts'
import type { EvidenceBundle } from '../evidence.ts'
import { checkSameApp, type Machine, sameMeasurements, verifyMachine } from '../machine.ts'
import { nonceReportData } from '../nonce.ts'
import type { Policy } from '../policy.ts'
import type { Finding } from '../report.ts'

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
    check(isKnown, 'the firmware (MRTD, RTMR0-2) is not accepted')
  } else
    open.push(
      'Which firmware and operating system run: MRTD and RTMR0-2 are signed, but were not compared with expected values.',
    )
  if (fresh) await checkFresh(fresh, machine, collateral, policy, at)
  else open.push('Whether the machine is live: no nonce was requested, so the quote may be old.')
  if (collateral.root.kind === 'simulated')
    open.push(
      'Anything that hardware would prove: the root is simulated, and anyone can make such a quote.',
    )
  if (tcb.advisoryIds.length > 0)
    open.push(`Intel’s security advisories for this platform: ${tcb.advisoryIds.join(', ')}.`)
  const now = fresh ? '; the fresh quote contains the nonce' : ''
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
  const hasNonce = sameBytes(fresh.quote.reportData, expected)
  check(
    hasNonce,
    'the fresh quote does not contain the nonce: it was made earlier, or for someone else',
  )
  checkSameApp('the fresh quote', fresh, machine)
}
