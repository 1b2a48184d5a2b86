import { dirname, extname, isAbsolute, resolve } from 'node:path'
import { ActionBuildError } from './action-build-error.ts'
import { importChain } from './import-chain.ts'
import type { ProjectFiles } from './project-files.ts'
import { type Bundled, MISSING_NAMESPACE, SOURCE_TYPES } from './run-esbuild.ts'

/**
 * Requires that the bundle contains no module that actions do not have.
 * @throws {ActionBuildError} with the chain of imports
 */
export function requireNoMissing(
  { inputs, output }: Bundled,
  entry: string,
  names: ReadonlyMap<string, string>,
): void {
  const prefix = `${MISSING_NAMESPACE}:`
  const missing = Object.keys(output.inputs).filter(
    (input) => input.startsWith(prefix) && output.inputs[input]!.bytesInOutput > 0,
  )
  if (missing.length === 0) return
  const lines = missing.map((module) => {
    const importers = importChain(inputs, entry, module).slice(0, -1)
    const chain = importers.map((path) => names.get(path)).join(' → ')
    return `${chain} imports node:${module.slice(prefix.length)}, which actions do not have`
  })
  throw new ActionBuildError(
    [...lines, 'Use what actions have (docs/actions.md#what-there-is), or another package.'].join(
      '\n',
    ),
  )
}

/**
 * Requires that modules import files of their own package or project by path, and others only by the names of installed
 * packages, and that all are source. Otherwise, a package could put any file of this machine into the action.
 * @throws {ActionBuildError}
 */
export function requireAllowed(
  { inputs }: Bundled,
  names: ReadonlyMap<string, string>,
  files: ProjectFiles,
): void {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original = path } of imports) {
      const isAllowed = isAbsolute(path)
        ? isAllowedFile(importer, path, original, files)
        : isAllowedPattern(importer, path, files)
      if (!isAllowed)
        throw new ActionBuildError(
          `${names.get(importer)} imports ${original}, which is not in its project; import packages by their names`,
        )
      if (isAbsolute(path) && !SOURCE_TYPES.includes(extname(path)))
        throw new ActionBuildError(
          `${names.get(importer)} imports ${original}, but an action contains only ${SOURCE_TYPES.join(', ')}`,
        )
    }
  }
}

function isAllowedFile(
  importer: string,
  path: string,
  original: string,
  files: ProjectFiles,
): boolean {
  const owner = files.ownerOf(path)
  if (owner === undefined) return false
  if (!isAbsolute(importer)) return true
  const isCrossing = owner !== files.ownerOf(importer)
  if (/^[./]/.test(original)) return !isCrossing
  if (/\/\.\.(\/|$)/.test(original)) return false
  if (files.packageOf(path) !== undefined) return true
  // The manifest of a package can resolve its name to any file. Names without a package are those of tsconfig paths.
  const installed = files.linkedFolder(importer, original)
  if (installed !== undefined) return path.startsWith(`${installed}/`)
  return files.packageOf(importer) === undefined
}

/** esbuild includes all files that match a path with a computed part, such as `./chains/*.ts`. */
function isAllowedPattern(importer: string, path: string, files: ProjectFiles): boolean {
  const computed = path.indexOf('*')
  if (computed < 0 || !isAbsolute(importer) || !/^[./]/.test(path)) return true
  const start = resolve(dirname(importer), path.slice(0, computed))
  const owner = files.ownerOf(importer)
  return !path.slice(computed).includes('..') && `${start}/`.startsWith(`${owner}/`)
}
