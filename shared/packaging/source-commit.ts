/** Prints the commit of the checkout, as the Worker and the local stack show it. */
import { execFile } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UNKNOWN_COMMIT } from '../config/settings.ts'

/**
 * Returns the commit of a checkout, with `-dirty` if a tracked file has changed or a file is neither tracked nor
 * ignored. Returns `unknown` if the folder is not the top folder of a checkout, or git is not installed.
 */
export async function sourceCommit(root: string): Promise<string> {
  const { PATH, HOME } = process.env
  const env = {
    ...(PATH !== undefined && { PATH }),
    ...(HOME !== undefined && { HOME }),
    // Does not use a repository that contains the folder.
    GIT_CEILING_DIRECTORIES: dirname(root),
    // Does not write to the index, which the developer's own git may have locked.
    GIT_OPTIONAL_LOCKS: '0',
  }
  const args = ['status', '--porcelain=v2', '--branch', '--untracked-files=normal']
  try {
    const { stdout } = await promisify(execFile)('git', args, { cwd: root, env })
    return parseStatus(stdout)
  } catch {
    return UNKNOWN_COMMIT
  }
}

/** Lines about the branch start with `#`, and all others are about changed files. */
function parseStatus(status: string): string {
  const commit = /^# branch\.oid ([0-9a-f]+)$/m.exec(status)?.[1]
  if (commit === undefined) return UNKNOWN_COMMIT
  return /^[^#\n]/m.test(status) ? `${commit}-dirty` : commit
}

if (import.meta.main)
  console.log(await sourceCommit(fileURLToPath(new URL('../..', import.meta.url))))
