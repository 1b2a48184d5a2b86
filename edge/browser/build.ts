/**
 * Bundles each folder's browser code (a page's `script.ts`, a `module.ts` that scripts import on demand, or the
 * `worker.ts` of a web worker) into a `script.txt`, which the Worker serves as text. Wrangler and the tests run the build before they read a bundle
 * (docs/decisions/0080-bundles-are-built.md).
 */
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rebuildStale } from '../../shared/packaging/rebuild-stale.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BROWSER = join(ROOT, 'edge', 'browser')

const ENTRY_FORMATS = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
  'worker.ts': 'iife',
} as const
type EntryFile = keyof typeof ENTRY_FORMATS

export const BUILD_FILES: readonly string[] = [
  'edge/browser/build.ts',
  'edge/browser/built-examples.ts',
  'edge/browser/bundle-script.ts',
  'edge/browser/collect-declarations.ts',
  'edge/browser/docs-index.ts',
  'edge/browser/language/declarations.ts',
  'edge/browser/language/typescript.ts',
  'edge/docs/document-paths.ts',
  'shared/build/action-build-error.ts',
  'shared/build/build-action.ts',
  'shared/build/checks.ts',
  'shared/build/duplicates.ts',
  'shared/build/free-globals.ts',
  'shared/build/import-chain.ts',
  'shared/build/inline-map.ts',
  'shared/build/load-esbuild.ts',
  'shared/build/polyfill-sources.ts',
  'shared/build/polyfills.ts',
  'shared/build/project-files.ts',
  'shared/build/run-esbuild.ts',
  'shared/build/script.ts',
  'shared/build/sizes.ts',
  'shared/build/source-map.ts',
  'shared/cli/project/examples.ts',
  'shared/documents/escape.ts',
  'shared/documents/heading-ids.ts',
  'shared/documents/highlight.ts',
  'shared/documents/markdown.ts',
  'shared/documents/search-index.ts',
  'shared/documents/search-words.ts',
  'shared/durations.ts',
  'shared/group-by.ts',
  'shared/json/try-parse-json.ts',
  'shared/limits.ts',
  'shared/packaging/checksums.ts',
  'shared/packaging/english-only.ts',
  'shared/packaging/package-names.ts',
  'shared/packaging/rebuild-stale.ts',
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

/** Builds the scripts whose bundles do not match their sources, and returns their names. */
export async function buildScripts(folder = BROWSER, buildFiles = BUILD_FILES): Promise<string[]> {
  const bundle = (script: string) => ({
    path: bundlePath(script, folder),
    build: async () => {
      // esbuild is imported only if needed, because the import takes longer than comparing the checksums.
      const { bundleScript } = await import('./bundle-script.ts')
      const entryFile = entryFileIn(join(folder, script))!
      const entry = join(folder, script, entryFile)
      return bundleScript(ROOT, entry, ENTRY_FORMATS[entryFile])
    },
  })
  const isWorker = (script: string) => entryFileIn(join(folder, script)) === 'worker.ts'
  const scripts = scriptsIn(folder)
  // Workers first, because the bundles that start them contain their hashes.
  const [workers, others] = [scripts.filter(isWorker), scripts.filter((one) => !isWorker(one))]
  const built = [
    ...(await rebuildStale(ROOT, workers.map(bundle), buildFiles)),
    ...(await rebuildStale(ROOT, others.map(bundle), buildFiles)),
  ]
  return built.map((path) => basename(dirname(path)))
}

if (import.meta.main)
  try {
    const built = await buildScripts()
    if (built.length > 0) console.log(`Built ${built.join(', ')}`)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
