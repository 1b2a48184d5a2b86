/**
 * Bundles of the processes that run sandboxes, in production too. A bundle is built again when an input has changed
 * (docs/decisions/0085-executors-run-a-bundle.md).
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rebuildStale } from '../../shared/packaging/rebuild-stale.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Bundles with their entry modules. Undici has its own, because an executor loads it only for the first request. */
export const SANDBOX_BUNDLES: Readonly<Record<string, string>> = {
  'origin/actions/engine/template-builder.cjs': 'origin/actions/engine/template-builder.ts',
  'origin/actions/executor/executor.cjs': 'origin/actions/executor/executor.ts',
  'origin/actions/outbound/undici-client.cjs': 'undici/lib/dispatcher/client.js',
}

export const BUILD_FILES: readonly string[] = [
  'origin/actions/bundles.ts',
  'shared/packaging/bundle-node.ts',
  'shared/packaging/checksums.ts',
  'shared/packaging/rebuild-stale.ts',
  'package-lock.json',
]

/** @throws {Error} with esbuild's message */
export async function buildSandboxBundles(): Promise<void> {
  const bundles = Object.entries(SANDBOX_BUNDLES).map(([name, entry]) => {
    const path = join(ROOT, name)
    const build = async () => {
      const { bundleNode } = await import('../../shared/packaging/bundle-node.ts')
      return bundleNode(ROOT, entry, path)
    }
    return { path, build }
  })
  await rebuildStale(ROOT, bundles, BUILD_FILES)
}

if (import.meta.main) await buildSandboxBundles()
