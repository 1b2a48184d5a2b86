import { readFileSync } from 'node:fs'
import { UNKNOWN_COMMIT } from '../shared/config/settings.ts'

type PackageFile = { version: string }
const ROOT = new URL('../', import.meta.url)

export const VERSION = (
  JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as PackageFile
).version

export const API_VERSION = 'v1.2'

/** File with the commit, which only the image contains. It is part of the image's layer, so it is measured. */
export const COMMIT_FILE = 'commit.txt'

export type Build = { version: string; commit: string }

/**
 * @param commit commit of a checkout, if it is known; the commit of an image takes precedence
 * @param root folder that contains `COMMIT_FILE` in an image
 */
export function readBuild(commit = UNKNOWN_COMMIT, root = ROOT): Build {
  return { version: VERSION, commit: imageCommit(root) ?? commit }
}

function imageCommit(root: URL): string | undefined {
  try {
    return readFileSync(new URL(COMMIT_FILE, root), 'utf8').trim()
  } catch {
    return undefined
  }
}
