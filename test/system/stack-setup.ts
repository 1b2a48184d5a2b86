/**
 * What the stacks of a test run share: the Worker, built once, and what Node compiled of their sources. Outside of the project,
 * each stack builds and compiles its own.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EDGE_CONFIG } from '../../origin/stack/edge-manifest.ts'

/** The variable of this process, and so of its workers, that says where. */
export const EDGE_BUNDLE_BUILT = 'TEST_EDGE_BUNDLE'

export default async function setup(): Promise<() => void> {
  // Test files import this file too, and some import Miniflare only after they have said whom it is to trust.
  const { bundleEdge } = await import('../../origin/stack/edge-bundle.ts')
  const folder = mkdtempSync(join(tmpdir(), 'svc-stacks-'))
  const bundle = join(folder, 'edge-bundle')
  bundleEdge(EDGE_CONFIG, bundle)
  process.env[EDGE_BUNDLE_BUILT] = bundle
  process.env['NODE_COMPILE_CACHE'] = join(folder, 'compiled')
  return () => rmSync(folder, { recursive: true, force: true })
}
