import { hash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { CLI_PACKAGE } from '../packaging/package-names.ts'
import { ActionBuildError } from './action-build-error.ts'

export type InstalledPackage = {
  /** Absolute path, without symbolic links. */
  folder: string
  /** Name by which it is imported, which is not its own name if it is installed under an alias. */
  importedAs: string
  name: string
  version: string
  dependencies: readonly string[]
}

type Manifest = {
  name?: unknown
  version?: unknown
  dependencies?: object
  peerDependencies?: object
  optionalDependencies?: object
  devDependencies?: object
}

const NODE_MODULES = '/node_modules/'
const PACKAGE_NAME = /^(@[\w.~-]+\/)?[\w.~-]+$/
const VERSION = /^[\w.+-]+$/

/** Characters that could end a line or a string of the built script, or hide what a name is. */
const UNSAFE_NAME = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"\\]/u

/** Names that the built script gives to other modules than those of the project, such as `npm:zod@4.6.7/index.js`. */
const RESERVED_NAME = /^(npm|svc|empty|missing):/

/** Characters that esbuild escapes, so that a path could not be replaced by a name. */
const UNSAFE_PATH = /[\p{Cc}\p{Zl}\p{Zp}"\\]/u

/** The files of a project and of its packages, with names that do not depend on where they are. */
export class ProjectFiles {
  /** The nearest folder of the entry that has a package.json, or the folder of the entry. */
  readonly root: string
  readonly #packages = new Map<string, InstalledPackage>()
  readonly #closures = new Map<string, string>()
  readonly #namedByClosure = new Set<string>()
  #bundled: ReadonlySet<string> | undefined

  /** @param folder absolute path of the entry's folder, without symbolic links */
  constructor(folder: string) {
    this.root = manifestFolder(folder) ?? folder
  }

  /** Returns the package in `node_modules` that contains a file, or undefined for other files. */
  packageOf(path: string): InstalledPackage | undefined {
    const at = path.lastIndexOf(NODE_MODULES)
    // The project may itself be in a folder named node_modules.
    if (at < (this.isInRoot(path) ? this.root.length : 0)) return undefined
    const start = at + NODE_MODULES.length
    const [first = '', second = ''] = path.slice(start).split('/', 2)
    const importedAs = first.startsWith('@') ? `${first}/${second}` : first
    const folder = path.slice(0, start) + importedAs
    let found = this.#packages.get(folder)
    if (found === undefined) {
      found = readPackage(folder, importedAs)
      this.#packages.set(folder, found)
    }
    return found
  }

  isInRoot(path: string): boolean {
    return path.startsWith(`${this.root}/`)
  }

  /**
   * Returns the folder that a file belongs to: the package, the project, or another project of the same workspace.
   * Undefined if it belongs to none.
   */
  ownerOf(path: string): string | undefined {
    const folder = this.packageOf(path)?.folder
    if (folder !== undefined) return folder
    if (this.isInRoot(path)) return this.root
    const workspace = manifestFolder(dirname(path))
    return workspace !== undefined && readManifest(workspace).name !== undefined
      ? workspace
      : undefined
  }

  /** Returns true if the project or package of a file declares a dependency. */
  declares(path: string, dependency: string): boolean {
    const folder = this.ownerOf(path)
    if (folder === undefined) return false
    const { dependencies, peerDependencies, optionalDependencies, devDependencies } =
      readManifest(folder)
    return [dependencies, peerDependencies, optionalDependencies, devDependencies].some(
      (names) => names !== undefined && Object.hasOwn(names, dependency),
    )
  }

  /**
   * Names a file in the built script, such as `src/action.ts` or `npm:zod@4.6.7/index.js`.
   * @throws {ActionBuildError} if the name contains characters that are not allowed
   */
  nameOf(path: string): string {
    const within = this.packageOf(path)
    const name =
      within === undefined
        ? relative(this.root, path)
        : `npm:${this.#titleOf(within)}/${path.slice(within.folder.length + 1)}`
    if (UNSAFE_NAME.test(name))
      throw new ActionBuildError(
        `${JSON.stringify(name)}: the name of the file contains a control character, a quote or a backslash; rename the file`,
      )
    if (within === undefined && RESERVED_NAME.test(name))
      throw new ActionBuildError(
        `${name}: the name looks like that of a package in the built script; rename the folder`,
      )
    if (UNSAFE_PATH.test(path))
      throw new ActionBuildError(
        `${JSON.stringify(path)}: the path contains a control character, a quote or a backslash; rename the folder`,
      )
    return name
  }

  /**
   * Limits digests of dependencies to the packages of the bundle. Others, such as native packages that are optional, are
   * installed on some machines only.
   * @param titles names with versions
   */
  setBundled(titles: ReadonlySet<string>): void {
    this.#bundled = titles
  }

  /** Distinguishes copies of a version that depend on different packages. */
  nameByClosure(title: string): void {
    this.#namedByClosure.add(title)
  }

  #titleOf(installed: InstalledPackage): string {
    const title = packageTitle(installed)
    if (!this.#namedByClosure.has(title)) return title
    return `${title}~${this.closureOf(installed).slice(0, 8)}`
  }

  /**
   * Returns a digest of the packages that a package depends on, directly and indirectly. Two copies of one version are
   * interchangeable if their digests are equal.
   */
  closureOf(installed: InstalledPackage): string {
    const known = this.#closures.get(installed.folder)
    if (known !== undefined) return known
    const edges = new Set<string>()
    const visited = new Set<string>()
    const visit = (from: InstalledPackage) => {
      if (visited.has(from.folder)) return
      visited.add(from.folder)
      for (const name of from.dependencies) {
        const to = this.#dependency(from.folder, name)
        if (to === undefined || this.#bundled?.has(packageTitle(to)) === false) continue
        edges.add(`${packageTitle(from)} ${packageTitle(to)}`)
        visit(to)
      }
    }
    visit(installed)
    const closure = hash('sha256', [...edges].toSorted().join('\n'))
    this.#closures.set(installed.folder, closure)
    return closure
  }

  /**
   * Returns the folder, without symbolic links, of the installed package that a specifier such as `zod/mini` names.
   * @param importer absolute path of the file with the import
   */
  linkedFolder(importer: string, specifier: string): string | undefined {
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(specifier) ?? []
    return name === undefined ? undefined : installedFolder(dirname(importer), name)
  }

  #dependency(folder: string, name: string): InstalledPackage | undefined {
    const found = installedFolder(folder, name)
    return found === undefined ? undefined : this.packageOf(`${found}/package.json`)
  }
}

/** Finds a package as Node does, in the `node_modules` of the folder and of its parents. */
function installedFolder(folder: string, name: string): string | undefined {
  for (let at = folder; at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return realpathSync(path)
  }
  return undefined
}

/** The version of our own package is left out, so that a new version does not change the CIDs of all actions. */
export function packageTitle({ name, version }: InstalledPackage): string {
  return name === CLI_PACKAGE ? name : `${name}@${version}`
}

function manifestFolder(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, 'package.json'))) return at
    if (at === dirname(at)) return undefined
  }
}

function readManifest(folder: string): Manifest {
  const path = join(folder, 'package.json')
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest
  } catch (error) {
    throw new ActionBuildError(`${path}: ${(error as Error).message}`)
  }
}

function readPackage(folder: string, importedAs: string): InstalledPackage {
  const manifest = readManifest(folder)
  const { name = importedAs, version = '0.0.0' } = manifest
  if (typeof name !== 'string' || !PACKAGE_NAME.test(name))
    throw new ActionBuildError(`${folder}/package.json: invalid name`)
  if (typeof version !== 'string' || !VERSION.test(version))
    throw new ActionBuildError(`${folder}/package.json: invalid version`)
  const { dependencies, peerDependencies, optionalDependencies } = manifest
  const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })
  return { folder, importedAs, name, version, dependencies: names }
}
