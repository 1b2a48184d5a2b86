import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mutant } from './mutant.ts'

/**
 * A copy of the working tree, including uncommitted changes. Package files are hard links, because an executor may not
 * follow symbolic links out of the folders that it may read. Caches that test runs write into `node_modules` stay in
 * the copy.
 */
export class WorkingCopy {
  readonly folder: string

  /** @param folder must not exist yet */
  constructor(repository: string, folder: string) {
    this.folder = folder
    const listed = execFileSync(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      { cwd: repository, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    for (const file of listed.split('\0')) {
      // The file was deleted but is still in the index.
      if (file === '' || !existsSync(join(repository, file))) continue
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      copyFileSync(join(repository, file), join(folder, file))
    }
    linkFolder(join(repository, 'node_modules'), join(folder, 'node_modules'), isPackage)
  }

  /** Applies a mutant while `work` runs. */
  async mutated<Result>({ file, from, to }: Mutant, work: () => Promise<Result>): Promise<Result> {
    const path = join(this.folder, file)
    const source = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      source.replace(from, () => to),
    )
    try {
      return await work()
    } finally {
      writeFileSync(path, source)
    }
  }
}

/** Excludes hidden folders of `node_modules` other than `.bin`: they are caches. */
function isPackage(name: string): boolean {
  return name === '.bin' || !name.startsWith('.')
}

function linkFolder(from: string, to: string, isWanted = (_name: string) => true): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (!isWanted(entry.name)) continue
    if (entry.isDirectory()) linkFolder(source, target)
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else linkOrCopy(source, target)
  }
}

/** Falls back to copying, because the temporary folder may be on another file system. */
function linkOrCopy(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch {
    copyFileSync(source, target)
  }
}
