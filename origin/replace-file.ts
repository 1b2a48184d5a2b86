import { renameSync, writeFileSync } from 'node:fs'

/**
 * Only the current user can read the file. Atomic: after a crash, the path contains either the complete new file or the
 * old one.
 */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true })
  renameSync(`${path}.new`, path)
}
