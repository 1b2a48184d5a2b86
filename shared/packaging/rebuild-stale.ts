/**
 * Caches generated files. Next to each one, a list of SHA-256 checksums names the file and everything it was built from
 * (docs/decisions/0080-bundles-are-built.md).
 */
import { hash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { checksumsMatch, fileHasher, formatChecksum } from './checksums.ts'

/** Paths of inputs are relative to the repository root. */
export type Built = { text: string; inputs: readonly string[] }

export type GeneratedFile = { path: string; build(): Promise<Built> }

export const checksumsPath = (path: string) => `${path}.sha256`

/**
 * Builds the files that do not match their checksums, and returns their paths. Several processes may run this function
 * at the same time. If a build fails, no file is replaced.
 * @param root repository root, to which the paths in the lists are relative
 * @param buildFiles additional inputs of all files: the sources of the build itself
 */
export async function rebuildStale(
  root: string,
  files: readonly GeneratedFile[],
  buildFiles: readonly string[],
): Promise<string[]> {
  const hashOf = fileHasher(root)
  const stale = files.filter(({ path }) => !checksumsMatch(checksumsPath(path), hashOf))
  if (stale.length === 0) return []
  const startedAt = Date.now()
  const built = await Promise.all(stale.map((file) => file.build()))
  // Writes the files after all builds have finished, because `wrangler dev` stops and restarts a build when a bundle
  // changes.
  const hashAfter = fileHasher(root)
  const modifiedAt = (path: string) =>
    statSync(resolve(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Infinity
  for (const [i, { text, ...used }] of built.entries()) {
    const { path } = stale[i]!
    const inputs = [...buildFiles, ...used.inputs]
    replaceFile(path, text)
    // If a file changed during the build, it is unknown which version was used, so no checksums are written.
    if (inputs.some((file) => modifiedAt(file) >= startedAt)) continue
    const sums = inputs.map((file) => formatChecksum(hashAfter(file)!, file))
    const checksum = formatChecksum(hash('sha256', text), relative(root, path))
    replaceFile(checksumsPath(path), [checksum, ...sums].join(''))
  }
  return stale.map(({ path }) => path)
}

/** Replaces a file atomically, so that other processes read either the previous or the new content. */
function replaceFile(path: string, content: string): void {
  const temporary = `${path}.${randomUUID()}`
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}
