import { realpathSync } from 'node:fs'
import { extname, isAbsolute, resolve } from 'node:path'
import type { BuildFailure, Metafile } from 'esbuild'
import { SOURCE_MAX_BYTES, TRIGGER_SOURCE_MAX_BYTES } from '../limits.ts'
import { ActionBuildError } from './action-build-error.ts'
import { importChain } from './import-chain.ts'
import { type Esbuild, loadEsbuild } from './load-esbuild.ts'
import { packageTitle, ProjectFiles } from './project-files.ts'
import {
  type Bundled,
  formatMessage,
  MISSING_NAMESPACE,
  type Pass,
  runEsbuild,
  SOURCE_TYPES,
} from './run-esbuild.ts'
import { renameModules, returnMain } from './script.ts'
import { inlineMap, renameSources } from './source-map.ts'

export { ActionBuildError }

export type BuiltAction = {
  /** Script that defines `main`. Its CID names the action. The last line is a source map of the project’s own files. */
  code: string
  /** Source map of `code` with the contents of all sources, as JSON text. */
  map: string
  /** Problems that do not prevent the build, such as a global that the sandbox does not have. */
  warnings: readonly string[]
  /** Absolute paths of the files from which the script was built. */
  inputs: readonly string[]
  /** Folder of the project: the nearest one with a package.json, or that of the entry. */
  root: string
  /** Size of the code of each package and of the project in `code`, largest first. */
  sizes: readonly ModuleSize[]
}

export type ModuleSize = {
  /** Name and version of a package, `polyfills`, or `project`. */
  name: string
  bytes: number
}

export type BuildActionOptions = {
  /** Shortens the script. It is no longer readable. @default false */
  minify?: boolean
}

/**
 * Bundles an action and the packages that it imports into one script. The entry module exports `main`, by that name or
 * as its default export. The same sources, packages and version of esbuild result in the same bytes, in any folder.
 * @param entry absolute path of the entry module
 * @throws {ActionBuildError}
 * @example
 * const { code } = await buildAction('/home/me/project/src/action.ts')
 */
export async function buildAction(
  entry: string,
  { minify = false }: BuildActionOptions = {},
): Promise<BuiltAction> {
  const path = realPath(entry)
  const files = new ProjectFiles(path)
  const esbuild = await loadEsbuild(path)
  const pass: Pass = { minify, replaced: new Map(), globals: [], toleratesMissing: false }
  const bundled = await bundle(esbuild, path, files, pass)
  const names = moduleNames(bundled.metafile, files)
  requireAllowed(bundled.metafile, names, files)
  requireNoMissing(bundled.metafile, path, names)
  const { exports } = outputOf(bundled.metafile)
  const script = renameModules(returnMain(bundled.code, exports, files.nameOf(path)), names)
  const own = new Set([...names].filter(([input]) => isOwn(input, files)).map(([, name]) => name))
  const map = renameSources(bundled.map, (source) => nameOfSource(source, names, files))
  const code = script + inlineMap(map, own)
  const bytes = Buffer.byteLength(code)
  if (bytes > SOURCE_MAX_BYTES)
    throw new ActionBuildError(
      `the built action has ${bytes} bytes, but an action has at most ${SOURCE_MAX_BYTES}; svc build shows which packages are large`,
    )
  const warnings = [...bundled.warnings]
  if (bytes > TRIGGER_SOURCE_MAX_BYTES)
    warnings.push(
      `the built action has ${bytes} bytes; triggers accept at most ${TRIGGER_SOURCE_MAX_BYTES}`,
    )
  return {
    code,
    map,
    warnings,
    inputs: [...names.keys()].filter((input) => isAbsolute(input)),
    root: files.root,
    sizes: sizesOf(bundled.metafile, files),
  }
}

function sizesOf(metafile: Metafile, files: ProjectFiles): ModuleSize[] {
  const sizes = new Map<string, number>()
  for (const [path, { bytesInOutput }] of Object.entries(outputOf(metafile).inputs)) {
    const within = isAbsolute(path) ? files.packageOf(path) : undefined
    const own = isAbsolute(path) ? 'project' : 'polyfills'
    const name = within === undefined ? own : packageTitle(within)
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput)
  }
  return [...sizes]
    .map(([name, bytes]) => ({ name, bytes }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes || (one.name < other.name ? -1 : 1))
}

const isOwn = (input: string, files: ProjectFiles) =>
  isAbsolute(input) && files.packageOf(input) === undefined

async function bundle(
  esbuild: Esbuild,
  entry: string,
  files: ProjectFiles,
  pass: Pass,
): Promise<Bundled> {
  try {
    return await runEsbuild(esbuild, entry, files, pass)
  } catch (error) {
    if (error instanceof ActionBuildError || !isBuildFailure(error)) throw error
    const messages = error.errors.map((message) => formatMessage(message, files))
    throw new ActionBuildError(messages.join('\n'))
  }
}

const outputOf = ({ outputs }: Metafile) =>
  Object.values(outputs).find(({ entryPoint }) => entryPoint !== undefined)!

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error
}

function realPath(entry: string): string {
  try {
    return realpathSync(entry)
  } catch (error) {
    throw new ActionBuildError(`${entry}: ${(error as Error).message}`)
  }
}

const DISABLED = '(disabled):'

/** Names all modules of a bundle. The keys are absolute paths, or names with a namespace. */
function moduleNames({ inputs }: Metafile, files: ProjectFiles): Map<string, string> {
  return new Map(
    Object.keys(inputs).map((input) => {
      if (isAbsolute(input)) return [input, files.nameOf(input)]
      if (!input.startsWith(DISABLED)) return [input, input]
      const path = input.slice(DISABLED.length)
      return [input, `empty:${isAbsolute(path) ? files.nameOf(path) : path}`]
    }),
  )
}

/** Names a source of esbuild’s map. Packages with maps of their own have sources that are not modules of the bundle. */
function nameOfSource(
  source: string,
  names: ReadonlyMap<string, string>,
  files: ProjectFiles,
): string {
  const path = resolve(files.root, decoded(source))
  const name = names.get(path)
  if (name !== undefined) return name
  return files.packageOf(path) === undefined ? source : files.nameOf(path)
}

/** esbuild writes sources as relative URLs. */
function decoded(source: string): string {
  try {
    return decodeURIComponent(source)
  } catch {
    return source
  }
}

/**
 * Requires that the bundle contains no module that actions do not have.
 * @throws {ActionBuildError} with the chain of imports
 */
function requireNoMissing(
  metafile: Metafile,
  entry: string,
  names: ReadonlyMap<string, string>,
): void {
  const { inputs } = outputOf(metafile)
  const prefix = `${MISSING_NAMESPACE}:`
  const missing = Object.keys(inputs).filter(
    (input) => input.startsWith(prefix) && inputs[input]!.bytesInOutput > 0,
  )
  if (missing.length === 0) return
  const lines = missing.map((module) => {
    const importers = importChain(metafile, entry, module).slice(0, -1)
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
function requireAllowed(
  { inputs }: Metafile,
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
