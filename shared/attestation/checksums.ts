import { EVIDENCE_FILES_MAX } from '../limits.ts'
import { check, quoted } from './check-failed.ts'
import { CHECKSUMS_FILE, COLLATERAL_FILE, QUOTE_FILE } from './evidence.ts'

/** File names that are safe as the last segment of a URL. The asterisk occurs in the names of wildcard certificates. */
const NAME = /^[A-Za-z0-9*_][A-Za-z0-9*._-]{0,254}$/
const LINE = /^([0-9a-f]{64}) {2}(.+)$/
/**
 * Files that the checksum list omits: the list itself, the quote that commits to the list, and the collateral, which
 * has its own signatures.
 */
export const UNLISTED_FILES: readonly string[] = [CHECKSUMS_FILE, QUOTE_FILE, COLLATERAL_FILE]

export function isEvidenceName(name: string): boolean {
  return NAME.test(name)
}

/** @throws {CheckFailedError} for a malformed line or a repeated name */
export function parseChecksums(text: string): Map<string, string> {
  check(text.endsWith('\n'), 'sha256sum.txt is truncated: its last line has no newline')
  const lines = text.slice(0, -1).split('\n')
  check(lines.length <= EVIDENCE_FILES_MAX, 'sha256sum.txt lists too many files')
  const sums = new Map<string, string>()
  for (const line of lines) {
    const [, sum, name] = LINE.exec(line) ?? []
    const fits = sum !== undefined && name !== undefined && isEvidenceName(name)
    check(fits, `sha256sum.txt has an invalid line: ${quoted(line)}`)
    check(!sums.has(name), `sha256sum.txt lists ${quoted(name)} twice`)
    check(
      !UNLISTED_FILES.includes(name),
      `sha256sum.txt lists ${quoted(name)}, which must not be listed`,
    )
    sums.set(name, sum)
  }
  return sums
}
