/** Where a test run keeps the template of its sandboxes: the first file that wants a pool makes it. */
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
