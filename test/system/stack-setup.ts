/**
 * Resources shared by all stacks of a test run: their bundles, which the first files would otherwise all build, and
 * Node's compile cache.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBundles, workerBundle } from '../../origin/stack/bundles.ts'
import { forAllProjects } from '../doubles/for-all-projects.ts'

const ENTRIES = ['origin-with-kept-template.ts', '../../origin/stack/edge-runner.ts']

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('stacks', async () => {
    const entries = ENTRIES.map((path) => fileURLToPath(new URL(path, import.meta.url)))
    await Promise.all([nodeBundles(entries), workerBundle()])
    const folder = mkdtempSync(join(tmpdir(), 'svc-stacks-'))
    process.env['NODE_COMPILE_CACHE'] = folder
    return async () => rmSync(folder, { recursive: true, force: true })
  })
}
