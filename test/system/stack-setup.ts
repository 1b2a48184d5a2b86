/**
 * Resources shared by all stacks of a test run: the built Worker, and Node's compile cache. In production, each stack
 * builds the Worker itself.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forAllProjects } from '../doubles/for-all-projects.ts'

/** Environment variable with the folder of the built Worker. */
export const EDGE_BUNDLE_BUILT = 'TEST_EDGE_BUNDLE'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('stacks', async () => {
    // Imported late: a test that imports this file may first set NODE_EXTRA_CA_CERTS, which Miniflare reads on load.
    const { bundleEdge } = await import('../../origin/stack/edge-bundle.ts')
    const folder = mkdtempSync(join(tmpdir(), 'svc-stacks-'))
    const bundle = join(folder, 'edge-bundle')
    bundleEdge(bundle)
    process.env[EDGE_BUNDLE_BUILT] = bundle
    process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
    return async () => rmSync(folder, { recursive: true, force: true })
  })
}
