/**
 * Bundles of the processes that a local stack runs, built again when an input has changed
 * (docs/decisions/0081-stacks-run-bundles.md). Production runs the sources.
 */
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rebuildStale } from '../../shared/packaging/rebuild-stale.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, 'origin', 'stack', 'bundles')

const WRANGLER_CONFIG = join(ROOT, 'wrangler.toml')

export const BUNDLE_BUILD_FILES: readonly string[] = [
  'origin/stack/bundles.ts',
  'origin/stack/bundle-worker.ts',
  'shared/packaging/bundle-node.ts',
  'shared/packaging/checksums.ts',
  'shared/packaging/rebuild-stale.ts',
  'shared/packaging/run-wrangler.ts',
  'package-lock.json',
]

/**
 * Bundles modules that Node runs, each with all packages that it imports, because loading hundreds of modules takes a
 * second of CPU time.
 * @param entries absolute paths
 * @returns paths of the bundles
 * @throws {Error} with esbuild's message
 */
export async function nodeBundles(entries: readonly string[], folder = FOLDER): Promise<string[]> {
  const bundles = entries.map((entry) => {
    const path = bundlePath(entry, '.js', folder)
    const build = async () => {
      const { bundleNode } = await import('../../shared/packaging/bundle-node.ts')
      return bundleNode(ROOT, relative(ROOT, entry), path)
    }
    return { path, build }
  })
  await rebuildStale(ROOT, bundles, BUNDLE_BUILD_FILES)
  return bundles.map(({ path }) => path)
}

/**
 * Builds the Worker with wrangler.
 * @param config path of a wrangler configuration; by default, the edge's own configuration
 * @returns path of a JSON file with a `WorkerBundle`
 * @throws {Error} with wrangler's output
 */
export async function workerBundle(config = WRANGLER_CONFIG, folder = FOLDER): Promise<string> {
  const path = bundlePath(config, '.json', folder)
  const build = async () => {
    const { bundleWorker } = await import('./bundle-worker.ts')
    return bundleWorker(ROOT, config)
  }
  await rebuildStale(ROOT, [{ path, build }], BUNDLE_BUILD_FILES)
  return path
}

function bundlePath(source: string, extension: string, folder: string): string {
  return join(folder, `${relative(ROOT, source).replaceAll('/', '-')}${extension}`)
}
