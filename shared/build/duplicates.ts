import { existsSync, readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Metafile } from 'esbuild'
import { groupBy } from '../group-by.ts'
import { ActionBuildError } from './action-build-error.ts'
import { type InstalledPackage, packageTitle, type ProjectFiles } from './project-files.ts'

export type Replacements = {
  /** The copies that replace others, by the folders of the others. */
  copies: ReadonlyMap<string, InstalledPackage>
  /** Absolute paths of the modules of the remaining copies that other packages import. */
  modules: readonly string[]
}

/**
 * Finds packages of which one version is installed in several folders, as npm does where pnpm has one folder. Copies
 * with the same dependencies are interchangeable, and are replaced by one of them. Other copies get different names.
 * @throws {ActionBuildError} if the files of the copies differ
 */
export function replaceDuplicates(inputs: Metafile['inputs'], files: ProjectFiles): Replacements {
  const paths = Object.keys(inputs).filter((path) => isAbsolute(path))
  const packages = new Set(paths.flatMap((path) => files.packageOf(path) ?? []))
  files.setBundled(new Set([...packages].map(packageTitle)))
  const copies = new Map<string, InstalledPackage>()
  for (const [title, ofVersion] of groupBy(packages, packageTitle)) {
    if (ofVersion.length === 1) continue
    const variants = groupBy(ofVersion, (copy) => files.closureOf(copy))
    if (variants.size > 1) files.nameByClosure(title)
    for (const [kept, ...others] of variants.values())
      for (const other of others) copies.set(other.folder, kept!)
  }
  const imported = new Set(
    Object.entries(inputs).flatMap(([importer, { imports }]) =>
      imports
        .filter(({ path }) => files.packageOf(path) !== files.packageOf(importer))
        .map(({ path }) => path),
    ),
  )
  const modules = new Set<string>()
  for (const path of paths) {
    const copy = files.packageOf(path)
    const kept = copy === undefined ? undefined : copies.get(copy.folder)
    if (copy === undefined || kept === undefined) continue
    const same = kept.folder + path.slice(copy.folder.length)
    if (!existsSync(same) || !readFileSync(path).equals(readFileSync(same)))
      throw new ActionBuildError(
        `${packageTitle(kept)} is installed twice with different files: ${same} and ${path}; install the packages again`,
      )
    if (imported.has(path)) modules.add(same)
  }
  return { copies, modules: [...modules].toSorted() }
}
