/**
 * The sandbox template, built once per test run and shared by all files that need a pool but do not test its start.
 * Building it takes a process that loads everything a sandbox is made of, and the result is always the same
 * (`docs/decisions/0056-what-the-gate-shares.md`).
 */
import {
  closeSync,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { TemplateDigest } from '../../../origin/actions/engine/template-file.ts'
import { buildTemplateFile, type TemplateFile } from '../../../origin/actions/pool/template.ts'

/** Environment variable with the folder of the shared template in this test run (`template-setup.ts`). */
export const TEMPLATE_FOLDER = 'TEST_TEMPLATE_FOLDER'

/** Returns a template file for a pool, which closes it. Executors check its digest as in production. */
export async function keptTemplate(): Promise<TemplateFile> {
  const folder = process.env[TEMPLATE_FOLDER]
  if (folder === undefined) return buildTemplateFile()
  const file = join(folder, 'template')
  const digestFile = join(folder, 'digest')
  if (!existsSync(digestFile)) await makeInto(file, digestFile)
  const digest: TemplateDigest = readFileSync(digestFile, 'utf8')
  const fd = openSync(file, 'r')
  let open = true
  return {
    fd,
    digest,
    close: () => {
      if (open) closeSync(fd)
      open = false
    },
  }
}

/**
 * If two processes build it at once, one result is kept. The digest is written last, so that a reader that sees it
 * finds the file.
 */
async function makeInto(file: string, digestFile: string): Promise<void> {
  const made = await buildTemplateFile()
  try {
    keepFirst(readFileSync(made.fd), file)
    keepFirst(Buffer.from(made.digest), digestFile)
  } finally {
    made.close()
  }
}

function keepFirst(bytes: Uint8Array, file: string): void {
  const unfinished = `${file}.${randomUUID()}`
  writeFileSync(unfinished, bytes)
  try {
    linkSync(unfinished, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(unfinished)
  }
}
