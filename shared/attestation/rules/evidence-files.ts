/** Rule 4: the evidence files come from a machine that runs this application. */
import { encodeHex } from '../../encoding/hex.ts'
import { EVIDENCE_FILE_MAX_BYTES } from '../../limits.ts'
import { check, CheckFailedError, quoted } from '../check-failed.ts'
import { UNLISTED_FILES, parseChecksums } from '../checksums.ts'
import type { CheckedCollateral } from '../collateral.ts'
import { sha256Hex } from '../digests.ts'
import {
  CHECKSUMS_FILE,
  type EvidenceBundle,
  type EvidenceQuote,
  evidenceQuoteSchema,
  QUOTE_FILE,
} from '../evidence.ts'
import { parseKeyFiles } from '../key-files.ts'
import { checkSameApp, type Machine, verifyMachine } from '../machine.ts'
import { parseEvidenceJson } from '../parse-evidence-json.ts'
import type { Policy } from '../policy.ts'
import type { EvidenceKeys, Finding } from '../report.ts'

/** Last 32 bytes of the report data, in hex. The first 32 bytes are a SHA-256 hash, and the rest must be zero. */
const REST = '0'.repeat(64)

export async function evidenceFilesRule(
  { files }: EvidenceBundle,
  machine: Machine,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<Finding & { keys: EvidenceKeys }> {
  const checksums = fileOf(files, CHECKSUMS_FILE)
  const sums = parseChecksums(checksums)
  for (const [name, sum] of sums)
    check(sha256Hex(fileOf(files, name)) === sum, `${name} does not match ${CHECKSUMS_FILE}`)
  for (const name of Object.keys(files))
    check(
      sums.has(name) || UNLISTED_FILES.includes(name),
      `${quoted(name)} is not in ${CHECKSUMS_FILE}`,
    )

  const quote = parseEvidenceJson(QUOTE_FILE, fileOf(files, QUOTE_FILE), evidenceQuoteSchema)
  const expected = sha256Hex(checksums) + REST
  const stated = quote.report_data.toLowerCase()
  check(
    stated === expected,
    `${QUOTE_FILE}'s report_data does not start with the SHA-256 of ${CHECKSUMS_FILE}`,
  )
  const quotedMachine = await verifyQuotedMachine(quote, collateral, policy, at)
  const inside = encodeHex(quotedMachine.quote.reportData)
  check(inside === expected, `${QUOTE_FILE}'s report_data does not match its quote`)
  checkSameApp(`${QUOTE_FILE}'s quote`, quotedMachine, machine)
  const listed = Object.fromEntries([...sums.keys()].map((name) => [name, files[name]!]))
  const keys = parseKeyFiles(listed, at)
  return {
    outcome: 'passed',
    reason: `${sums.size} files match ${CHECKSUMS_FILE}, to which a quote of this application commits`,
    keys,
  }
}

export function fileOf(files: EvidenceBundle['files'], name: string): string {
  const text = Object.hasOwn(files, name) ? files[name] : undefined
  check(text !== undefined, `${name} is missing`)
  check(text.length <= EVIDENCE_FILE_MAX_BYTES, `${name} is too long`)
  return text
}

async function verifyQuotedMachine(
  quote: EvidenceQuote,
  collateral: CheckedCollateral,
  policy: Policy,
  at: Date,
): Promise<Machine> {
  try {
    return await verifyMachine(quote, collateral, policy, at)
  } catch (error) {
    if (!(error instanceof CheckFailedError)) throw error
    throw new CheckFailedError(`${QUOTE_FILE}: ${error.message}`, { cause: error })
  }
}
