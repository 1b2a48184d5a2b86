/** What the stacks of a test run share: the Worker, built once. Outside of the project, each stack builds it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleEdge, EDGE_CONFIG } from '../../origin/stack/edge-bundle.ts'

/** The variable of this process, and so of its workers, that says where. */
export const EDGE_BUNDLE_BUILT = 'TEST_EDGE_BUNDLE'

export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-edge-bundle-'))
  bundleEdge(EDGE_CONFIG, folder)
  process.env[EDGE_BUNDLE_BUILT] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}
