import { renameSync, writeFileSync } from 'node:fs'

/**
 * Replaces a file that only the current user can read. Atomic: after a crash, the path contains either the complete new
 * file or the old one.
 */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}
