/** Creates the folder for the sandbox template of a test run. The first file that needs a pool builds the template. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forAllProjects } from '../doubles/for-all-projects.ts'
import { TEMPLATE_FOLDER } from './actions/kept-template.ts'

export default function setup(): Promise<() => Promise<void>> {
  return forAllProjects('template', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-templates-'))
    process.env[TEMPLATE_FOLDER] = folder
    return async () => rmSync(folder, { recursive: true, force: true })
  })
}
