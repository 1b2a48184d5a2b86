/**
 * Bundles each folder's browser code (a page's `script.ts`, or a `module.ts` that scripts import on demand) into a
 * `script.txt`, which the Worker serves as text. Wrangler and the tests run the build before they read a bundle
 * (docs/decisions/0080-bundles-are-built.md).
 */
import { hash, randomUUID } from 'node:crypto'
import { readdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { checksumsMatch, fileHasher, formatChecksum } from './checksums.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BROWSER = join(ROOT, 'edge', 'browser')

const ENTRY_FORMATS = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
} as const
type EntryFile = keyof typeof ENTRY_FORMATS

export const BUILD_FILES: readonly string[] = [
  'edge/browser/build.ts',
  'edge/browser/bundle-script.ts',
  'edge/browser/checksums.ts',
  'edge/browser/esbuild-plugins/remove-html-sinks.ts',
  'edge/browser/esbuild-plugins/served-modules.ts',
  'shared/packaging/english-only.ts',
  'package-lock.json',
]

export const SCRIPTS: readonly string[] = scriptsIn(BROWSER)

function scriptsIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entryFileIn(join(folder, entry.name)) !== undefined)
    .map(({ name }) => name)
}

function entryFileIn(folder: string): EntryFile | undefined {
  const files = readdirSync(folder)
  return (Object.keys(ENTRY_FORMATS) as EntryFile[]).find((source) => files.includes(source))
}

export const bundlePath = (script: string, folder = BROWSER) => join(folder, script, 'script.txt')

const checksumsPath = (script: string, folder: string) => `${bundlePath(script, folder)}.sha256`

/**
 * Builds the scripts whose bundles do not match their sources. Several processes may run this function at the same
 * time.
 */
export async function buildScripts(folder = BROWSER, buildFiles = BUILD_FILES): Promise<string[]> {
  const hashOf = fileHasher(ROOT)
  const stale = scriptsIn(folder).filter(
    (script) => !checksumsMatch(checksumsPath(script, folder), hashOf),
  )
  if (stale.length === 0) return []
  const startedAt = Date.now()
  // esbuild is imported only if needed, because the import takes longer than comparing the checksums.
  const { bundleScript } = await import('./bundle-script.ts')
  const bundles = await Promise.all(
    stale.map((script) => {
      const entryFile = entryFileIn(join(folder, script))!
      return bundleScript(ROOT, join(folder, script, entryFile), ENTRY_FORMATS[entryFile])
    }),
  )
  // Writes the bundles after all builds have finished, because `wrangler dev` stops and restarts a build when a bundle
  // changes.
  const hashAfter = fileHasher(ROOT)
  for (const [i, { text, inputs }] of bundles.entries()) {
    const path = bundlePath(stale[i]!, folder)
    replaceFile(path, text)
    const files = [...buildFiles, ...inputs]
    // If a file changed during the build, it is unknown which version was used, so no checksums are written.
    if (files.some((file) => modifiedAt(file) >= startedAt)) continue
    const sums = files.map((file) => formatChecksum(hashAfter(file)!, file))
    const checksum = formatChecksum(hash('sha256', text), relative(ROOT, path))
    replaceFile(checksumsPath(stale[i]!, folder), [checksum, ...sums].join(''))
  }
  return stale
}

const modifiedAt = (path: string) =>
  statSync(resolve(ROOT, path), { throwIfNoEntry: false })?.mtimeMs ?? Infinity

/** Replaces a file atomically, so that other processes read either the previous or the new content. */
function replaceFile(path: string, content: string): void {
  const temporary = `${path}.${randomUUID()}`
  writeFileSync(temporary, content)
  renameSync(temporary, path)
}

if (import.meta.main)
  try {
    const built = await buildScripts()
    if (built.length > 0) console.log(`Built ${built.join(', ')}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
