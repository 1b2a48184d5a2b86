/**
 * Rule 1: a machine under an accepted root measured this event log. If the verifier chose a nonce, a fresh quote also
 * proves that the machine is live.
 */
import { sameBytes } from '../../encoding/bytes.ts'
import { decodeHex } from '../../encoding/hex.ts'
import { NONCE_MAX_BYTES, NONCE_MIN_BYTES } from '../../limits.ts'
import { check } from '../check-failed.ts'
import type { CheckedCollateral } from '../collateral.ts'
import { CHECKSUMS_FILE, type EvidenceBundle } from '../evidence.ts'
import { checkSameApp, type Machine, sameMeasurements, verifyMachine } from '../machine.ts'
import { bundleReportData, nonceReportData } from '../nonce.ts'
import type { Policy } from '../policy.ts'
import type { Finding } from '../report.ts'
import { fileOf } from './evidence-files.ts'

export async function quoteRule(
  bundle: EvidenceBundle,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<Finding & { machine: Machine }> {
  const { attestation, fresh } = bundle
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
  if (fresh) await checkFresh(fresh, bundle.files, machine, collateral, policy, at)
  else open.push('Whether the machine is live: no nonce was requested, so the quote may be old.')
  if (fresh && !fresh.covers_files)
    open.push(
      'Whether the evidence files are current: the fresh quote does not cover them, because the origin has no /attestation/bundle.',
    )
  if (collateral.root.kind === 'simulated')
    open.push(
      'Anything that hardware would prove: the root is simulated, and anyone can make such a quote.',
    )
  if (tcb.advisoryIds.length > 0)
    open.push(`Intel’s security advisories for this platform: ${tcb.advisoryIds.join(', ')}.`)
  const covered = fresh?.covers_files ? ' and the checksums of the evidence files' : ''
  const now = fresh ? `; the fresh quote contains the nonce${covered}` : ''
  return {
    outcome: 'passed',
    reason: `signed under ${collateral.root.name}, platform ${tcb.status}; the event log replays to RTMR0-3; report data is zero${now}`,
    open,
    machine,
  }
}

async function checkFresh(
  { nonce: hex, attestation, covers_files }: NonNullable<EvidenceBundle['fresh']>,
  files: EvidenceBundle['files'],
  machine: Machine,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<void> {
  const nonce = decodeHex(hex)
  const fits =
    nonce !== undefined && nonce.length >= NONCE_MIN_BYTES && nonce.length <= NONCE_MAX_BYTES
  check(fits, `the nonce is not hex of ${NONCE_MIN_BYTES} to ${NONCE_MAX_BYTES} bytes`)
  const expected = covers_files
    ? await bundleReportData(nonce, fileOf(files, CHECKSUMS_FILE))
    : await nonceReportData(nonce)
  const fresh = await verifyMachine(attestation, collateral, policy, at)
  const hasNonce = sameBytes(fresh.quote.reportData, expected)
  check(
    hasNonce,
    covers_files
      ? `the fresh quote does not contain the nonce and the hash of ${CHECKSUMS_FILE}: it was made earlier, or by another machine`
      : 'the fresh quote does not contain the nonce: it was made earlier, or for someone else',
  )
  checkSameApp('the fresh quote', fresh, machine)
}
