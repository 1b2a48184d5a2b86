import { extname, isAbsolute } from 'node:path'
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
 * Requires that modules import only modules of their own package or project by path, and that all are source. Otherwise,
 * a package could put any file of this machine into the action.
 * @throws {ActionBuildError}
 */
export function requireAllowed(
  { inputs }: Bundled,
  names: ReadonlyMap<string, string>,
  files: ProjectFiles,
): void {
  for (const [importer, { imports }] of Object.entries(inputs)) {
    for (const { path, original } of imports) {
      if (!isAbsolute(path)) continue
      const owner = files.ownerOf(path)
      const isCrossing = isAbsolute(importer) && owner !== files.ownerOf(importer)
      if (owner === undefined || (isCrossing && /^[./]/.test(original ?? '')))
        throw new ActionBuildError(
          `${names.get(importer)} imports ${original ?? path}, which is not in its project; import packages by their names`,
        )
      if (!SOURCE_TYPES.includes(extname(path)))
        throw new ActionBuildError(
          `${names.get(importer)} imports ${original ?? path}, but an action contains only ${SOURCE_TYPES.join(', ')}`,
        )
    }
  }
}
