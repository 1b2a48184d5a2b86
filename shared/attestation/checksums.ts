import { EVIDENCE_FILES_MAX } from '../limits.ts'
import { check, quoted } from './check-failed.ts'
import { CHECKSUMS_FILE, COLLATERAL_FILE, QUOTE_FILE } from './evidence.ts'

/** File names that are safe as the last segment of a URL. The star is for wildcard certificates. */
const NAME = /^[A-Za-z0-9*_][A-Za-z0-9*._-]{0,254}$/
const LINE = /^([0-9a-f]{64}) {2}(.+)$/
/**
 * Evidence files without a checksum: the list itself, the quote over it, and the collateral, which has its own
 * signatures.
 */
export const NOT_LISTED: readonly string[] = [CHECKSUMS_FILE, QUOTE_FILE, COLLATERAL_FILE]

export function isEvidenceName(name: string): boolean {
  return NAME.test(name)
}

/**
 * Parses a `sha256sum.txt` into a map of file name to SHA-256 (hex).
 * @throws {CheckFailed} for a line that `sha256sum` does not write, and for a duplicate name
 */
export function parseChecksums(text: string): Map<string, string> {
  check(text.endsWith('\n'), 'sha256sum.txt is cut: its last line does not end')
  const lines = text.slice(0, -1).split('\n')
  check(lines.length <= EVIDENCE_FILES_MAX, 'sha256sum.txt names more files than any evidence has')
  const sums = new Map<string, string>()
  for (const line of lines) {
    const [, sum, name] = LINE.exec(line) ?? []
    const fits = sum !== undefined && name !== undefined && isEvidenceName(name)
    check(fits, `sha256sum.txt has a line that is none: ${quoted(line)}`)
    check(!sums.has(name), `sha256sum.txt names ${quoted(name)} twice`)
    check(!NOT_LISTED.includes(name), `sha256sum.txt names ${quoted(name)}, which can not be in it`)
    sums.set(name, sum)
  }
  return sums
}
