/**
 * Builds the bundles of the processes with sandboxes, and creates the folder for the sandbox template of a test run. The first
 * file that needs a pool builds the template.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSandboxBundles } from '../../origin/actions/bundles.ts'
import { forAllProjects } from '../doubles/for-all-projects.ts'
import { TEMPLATE_FOLDER } from './actions/kept-template.ts'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('template', async () => {
    await buildSandboxBundles()
    const folder = mkdtempSync(join(tmpdir(), 'svc-templates-'))
    process.env[TEMPLATE_FOLDER] = folder
    return async () => rmSync(folder, { recursive: true, force: true })
  })
}
