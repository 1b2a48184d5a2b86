import { realpathSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { BuildFailure } from 'esbuild'
import { SOURCE_MAX_BYTES, TRIGGER_SOURCE_MAX_BYTES } from '../limits.ts'
import { ActionBuildError } from './action-build-error.ts'
import { requireAllowed, requireNoMissing } from './checks.ts'
import { replaceDuplicates } from './duplicates.ts'
import { findComputedImports, findMissingGlobals, type GlobalUse } from './free-globals.ts'
import { type Esbuild, loadEsbuild } from './load-esbuild.ts'
import { POLYFILLED_GLOBALS } from './polyfills.ts'
import { ProjectFiles } from './project-files.ts'
import { type Bundled, formatMessage, type Pass, runEsbuild } from './run-esbuild.ts'
import { moduleNames, renameModules, returnMain } from './script.ts'
import { type ModuleSize, sizesOf } from './sizes.ts'
import { inlineMap, renameSources, sourcesOf } from './source-map.ts'

export { ActionBuildError, type ModuleSize }

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

export type BuildActionOptions = {
  /** Shortens the script. It is no longer readable. @default false */
  minify?: boolean
}

const TOO_LARGE_FOR_MAP =
  'the project is too large for a source map in the script: errors of runs name lines of the script'

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
  const files = new ProjectFiles(dirname(path))
  const esbuild = await loadEsbuild(path)
  const first = await bundle(esbuild, path, files, FIRST_PASS)
  const names = moduleNames(first.inputs, files)
  requireAllowed(first, names, files)
  requireNoMissing(first, path, names)
  const replaced = replaceDuplicates(first.inputs, files)
  const modules = new Set(names.values())
  const readable = toScript(first, path, files)
  const missing = await findMissingGlobals(readable, modules, esbuild)
  const globals = POLYFILLED_GLOBALS.filter((name) => missing.some(({ global }) => global === name))
  const ignoresMaps = hasFalseMaps(first, files)
  const isFinal = !minify && replaced.copies.size === 0 && globals.length === 0 && !ignoresMaps
  const pass = { ...FIRST_PASS, minify, replaced, globals, ignoresMaps }
  const last = isFinal ? first : await bundle(esbuild, path, files, pass)
  const { code, map, isMapped } = withMap(
    isFinal ? readable : toScript(last, path, files),
    last,
    files,
  )
  const bytes = Buffer.byteLength(code)
  if (bytes > SOURCE_MAX_BYTES)
    throw new ActionBuildError(
      `the built action has ${bytes} bytes, but an action has at most ${SOURCE_MAX_BYTES}; largest: ${sizesOf(last, files)[0]!.name}`,
    )
  return {
    code,
    map,
    warnings: [
      ...last.warnings,
      ...globalWarnings(missing),
      ...findComputedImports(readable, modules).map(
        (module) => `${module} imports modules by names that it computes, which fails in actions`,
      ),
      ...(isMapped ? [] : [TOO_LARGE_FOR_MAP]),
      ...(bytes > TRIGGER_SOURCE_MAX_BYTES
        ? [`the built action has ${bytes} bytes; triggers accept ${TRIGGER_SOURCE_MAX_BYTES}`]
        : []),
    ],
    inputs: Object.keys(last.inputs).filter((input) => isAbsolute(input)),
    root: files.root,
    sizes: sizesOf(last, files),
  }
}

const FIRST_PASS: Pass = {
  minify: false,
  replaced: { copies: new Map(), modules: [] },
  globals: [],
  ignoresMaps: false,
  toleratesMissing: false,
}

async function bundle(
  esbuild: Esbuild,
  entry: string,
  files: ProjectFiles,
  pass: Pass,
): Promise<Bundled> {
  try {
    return await runEsbuild(esbuild, entry, files, pass)
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    if (!pass.toleratesMissing) await requireOtherReason(esbuild, entry, files)
    const messages = error.errors.map((message) => formatMessage(message, files))
    throw new ActionBuildError(messages.join('\n'))
  }
}

/**
 * Calls of `require` for a module of Node fail a build without a chain of imports. Builds again without these failures.
 * @throws {ActionBuildError} with the chain
 */
async function requireOtherReason(
  esbuild: Esbuild,
  entry: string,
  files: ProjectFiles,
): Promise<void> {
  const tolerant = { ...FIRST_PASS, toleratesMissing: true }
  const bundled = await runEsbuild(esbuild, entry, files, tolerant).catch(() => undefined)
  if (bundled === undefined) return
  requireNoMissing(bundled, entry, moduleNames(bundled.inputs, files))
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error
}

function toScript({ code, inputs, output }: Bundled, entry: string, files: ProjectFiles): string {
  return renameModules(
    returnMain(code, output.exports, files.nameOf(entry)),
    moduleNames(inputs, files),
  )
}

/** Appends the inline map to a script. @returns also the full map */
function withMap(script: string, { map, inputs, output }: Bundled, files: ProjectFiles) {
  const names = moduleNames(inputs, files)
  const hasCode = (path: string) => (output.inputs[path]?.bytesInOutput ?? 0) > 0
  const own = [...names].filter(([path]) => isOwn(path, files) && hasCode(path))
  const named = renameSources(map, (source) => {
    const path = pathOfSource(source, files)
    const within = files.packageOf(path)
    const name = names.get(path) ?? (within === undefined ? source : files.nameOf(path))
    // esbuild reads any file that the map of a package names.
    return { name, isPublic: names.has(path) || within !== undefined }
  })
  const inline = inlineMap(named, new Set(own.map(([, name]) => name)))
  return { code: script + inline, map: named, isMapped: inline !== '' }
}

const isOwn = (path: string, files: ProjectFiles) =>
  isAbsolute(path) && files.packageOf(path) === undefined

/** Returns true if the map of a package says that its code is in a file of the project, by mistake or on purpose. */
function hasFalseMaps({ map }: Bundled, files: ProjectFiles): boolean {
  const paths = sourcesOf(map).map((source) => pathOfSource(source, files))
  const own = paths.filter((path) => isOwn(path, files))
  return new Set(own).size < own.length
}

function globalWarnings(missing: readonly GlobalUse[]): string[] {
  return missing.flatMap(({ global, module }) => {
    const isOwn = !/^(npm|svc|empty):/.test(module)
    if (global === 'process' && isOwn)
      return [
        `${module} uses process; actions have no environment variables, so pass values as params`,
      ]
    if (POLYFILLED_GLOBALS.includes(global)) return []
    return [`${module} uses ${global}, which actions do not have`]
  })
}

function realPath(entry: string): string {
  try {
    return realpathSync(entry)
  } catch (error) {
    throw new ActionBuildError(`${entry}: ${(error as Error).message}`)
  }
}

/** Packages with maps of their own have sources that are not modules of the bundle. */
function pathOfSource(source: string, { root }: ProjectFiles): string {
  return resolve(root, decoded(source))
}

/** esbuild writes sources as relative URLs. */
function decoded(source: string): string {
  try {
    return decodeURIComponent(source)
  } catch {
    return source
  }
}
