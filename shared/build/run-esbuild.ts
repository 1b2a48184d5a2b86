import { existsSync, readFileSync } from 'node:fs'
import { builtinModules, isBuiltin } from 'node:module'
import { isAbsolute, resolve } from 'node:path'
import type { BuildOptions, Message, Metafile, OnResolveArgs, Plugin } from 'esbuild'
import type { Esbuild } from './load-esbuild.ts'
import type { Replacements } from './duplicates.ts'
import type { ProjectFiles } from './project-files.ts'
import { globalSource, POLYFILLED_MODULES } from './polyfills.ts'
import { FOOTER, HEADER } from './script.ts'

/** Namespace of modules that are part of the build, such as polyfills. */
export const OWN_NAMESPACE = 'svc'

/** Namespace of Node’s modules that actions do not have. */
export const MISSING_NAMESPACE = 'missing'

/** Options that differ between the passes of a build. */
export type Pass = {
  minify: boolean
  replaced: Replacements
  /** Global names that are provided by a polyfill, because the code needs them. */
  globals: readonly string[]
  /** Ignores the source maps of packages. */
  ignoresMaps: boolean
  /** Lets a build succeed that needs missing modules, to find out who imports them. */
  toleratesMissing: boolean
}

/** Name of the output with the action. */
const OUTPUT = 'action'

export type Bundled = {
  code: string
  map: string
  inputs: Metafile['inputs']
  output: Metafile['outputs'][string]
  warnings: readonly string[]
}

/** Everything else that esbuild can load, such as styles, is not code. */
export const SOURCE_TYPES = [
  '.ts',
  '.mts',
  '.cts',
  '.tsx',
  '.js',
  '.mjs',
  '.cjs',
  '.jsx',
  '.json',
  '.txt',
]

/** Loaded as empty modules, so that the error can name the importers. */
const BINARY_TYPES = ['.node', '.wasm', '.css'] as const

/** Runs esbuild once. Absolute paths in the code, the map’s sources and the metafile are left to the caller. */
export async function runEsbuild(
  esbuild: Esbuild,
  entry: string,
  files: ProjectFiles,
  pass: Pass,
): Promise<Bundled> {
  const { outputFiles, metafile, warnings } = await esbuild.build({
    ...optionsFor(files.root, pass),
    // esbuild forgets the module type of what a plugin resolves, but not of what it has already loaded as an entry.
    entryPoints: [
      { in: entry, out: OUTPUT },
      ...pass.replaced.modules.map((path, n) => ({ in: path, out: `ignored-${n}` })),
    ],
    plugins: [resolution(esbuild, files, pass)],
  })
  const path = `${files.root}/${OUTPUT}.js`
  const text = (of: string) => outputFiles.find((file) => file.path === of)!.text
  return {
    code: text(path),
    map: text(`${path}.map`),
    inputs: metafile.inputs,
    output: metafile.outputs[path]!,
    warnings: warnings.map((warning) => formatMessage(warning, files)),
  }
}

function optionsFor(root: string, { minify, globals }: Pass) {
  return {
    absWorkingDir: root,
    outbase: root,
    outdir: root,
    write: false,
    metafile: true,
    // Relative paths would be ambiguous. They are replaced by names afterwards.
    absPaths: ['code', 'metafile'],
    bundle: true,
    // The entry’s exports are replaced by a return statement: the bundle becomes the body of a function.
    format: 'esm',
    banner: { js: HEADER },
    footer: { js: FOOTER },
    platform: 'browser',
    conditions: ['worker', 'browser', 'module'],
    mainFields: ['browser', 'module', 'main'],
    target: 'es2023',
    // A script has none of them.
    supported: { 'top-level-await': false, 'import-meta': false, 'dynamic-import': false },
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    inject: globals.map((name) => `${OWN_NAMESPACE}:global-${name}`),
    loader: Object.fromEntries(BINARY_TYPES.map((type) => [type, 'empty'])),
    ...tsconfigOf(root),
    sourcemap: 'external',
    sourcesContent: true,
    legalComments: 'inline',
    charset: 'utf8',
    minify,
    logLevel: 'silent',
  } satisfies BuildOptions
}

/** Ignores the `tsconfig.json` of folders above and below, so that only the project’s own affects the result. */
function tsconfigOf(root: string): Pick<BuildOptions, 'tsconfig' | 'tsconfigRaw'> {
  const path = `${root}/tsconfig.json`
  return existsSync(path) ? { tsconfig: path } : { tsconfigRaw: '{}' }
}

/** esbuild uses the last map of a file, and ignores one without mappings. */
const EMPTY_MAP =
  '\n//# sourceMappingURL=data:application/json,{"version":3,"sources":[],"mappings":""}\n'

const BARE = /^[^./]/

function resolution(
  esbuild: Esbuild,
  files: ProjectFiles,
  { replaced, ignoresMaps, toleratesMissing }: Pass,
): Plugin {
  return {
    name: 'svc',
    setup(build) {
      build.onResolve({ filter: /^svc:/ }, ({ path }) => ({
        path: path.slice(OWN_NAMESPACE.length + 1),
        namespace: OWN_NAMESPACE,
        sideEffects: false,
      }))
      build.onLoad({ filter: /./, namespace: OWN_NAMESPACE }, async ({ path }) => ({
        contents: await ownSource(path, esbuild),
      }))
      build.onLoad({ filter: /./, namespace: MISSING_NAMESPACE }, () => ({
        contents: 'module.exports = {}',
      }))
      if (ignoresMaps)
        build.onLoad({ filter: /\/node_modules\/.*\.[cm]?[jt]sx?$/ }, ({ path }) => ({
          contents: readFileSync(path, 'utf8') + EMPTY_MAP,
          loader: 'default',
        }))

      const NESTED = Symbol('nested')
      const resolveWithoutUs = ({ path, ...options }: OnResolveArgs) =>
        build.resolve(path, { ...options, pluginData: NESTED })

      build.onResolve({ filter: NODE_MODULE }, async (args) => {
        const { path, kind, importer, pluginData } = args
        const name = path.replace(/^node:/, '')
        if (pluginData === NESTED || !isBuiltin(path)) return undefined
        const found = await resolveWithoutUs(args)
        // The package may replace the module in its `browser` field, or depend on a package of the same name.
        if (found.errors.length === 0 && isIntended(found.path, name, importer, files))
          return undefined
        if (POLYFILLED_MODULES.includes(name)) {
          // `require` returns the default export, as it does for the module of Node.
          const module = kind === 'require-call' ? name + COMMON_JS : name
          return { path: module, namespace: OWN_NAMESPACE, sideEffects: false }
        }
        // esbuild lets calls of `require` and `import()` fail if their errors are caught.
        if (kind !== 'import-statement' && !toleratesMissing) return undefined
        return { path: name, namespace: MISSING_NAMESPACE, sideEffects: false }
      })

      if (replaced.copies.size === 0) return
      build.onResolve({ filter: BARE }, async (args) => {
        if (args.pluginData === NESTED || args.kind === 'entry-point') return undefined
        const { path, sideEffects, errors } = await resolveWithoutUs(args)
        const folder = errors.length === 0 ? files.packageOf(path)?.folder : undefined
        const instead = folder === undefined ? undefined : replaced.copies.get(folder)
        if (folder === undefined || instead === undefined) return undefined
        return { path: instead.folder + path.slice(folder.length), sideEffects }
      })
    },
  }
}

const COMMON_JS = '.cjs'

async function ownSource(name: string, esbuild: Esbuild): Promise<string> {
  if (name.endsWith(COMMON_JS))
    return `module.exports = require('svc:${name.slice(0, -COMMON_JS.length)}').default`
  const source = globalSource(name)
  if (source !== undefined) return source
  const { polyfillSource } = await import('./polyfill-sources.ts')
  return polyfillSource(name, esbuild)
}

/** Names of Node’s modules, also with the prefix or a path. The callback decides exactly. */
const NODE_MODULE = new RegExp(`^(node:|(${builtinNames().join('|')})(/|$))`)

function builtinNames(): string[] {
  return [...new Set(builtinModules.map((name) => name.split('/')[0]!))].filter((name) =>
    /^\w+$/.test(name),
  )
}

/**
 * Returns false if a package of the same name happens to be installed, which depends on the package manager, although
 * the importer does not declare it.
 */
function isIntended(path: string, name: string, importer: string, files: ProjectFiles): boolean {
  if (!isAbsolute(path)) return true
  const found = files.packageOf(path)
  if (found === undefined || found.importedAs !== name.split('/')[0]) return true
  return files.declares(importer, found.importedAs)
}

/** Formats a message as `file:line:column: text`. */
export function formatMessage({ text, location, notes }: Message, files: ProjectFiles): string {
  const file =
    location === null || location.file === '' ? undefined : resolve(files.root, location.file)
  // A message about a file elsewhere could quote it.
  if (file !== undefined && files.ownerOf(file) === undefined)
    return `${file} is neither in the project nor in a package`
  const place =
    file === undefined ? '' : `${files.nameOf(file)}:${location!.line}:${location!.column + 1}: `
  const hint = rewordings.find(([pattern]) => pattern.test(text))
  if (hint !== undefined) return place + text.replace(...hint)
  return [place + text, ...notes.map((note) => `  ${note.text}`)].join('\n')
}

const rewordings: readonly (readonly [RegExp, string])[] = [
  [
    /^Top-level await is not available.*/,
    'top-level await is not available in actions; await in `main` instead',
  ],
  [/^"import\.meta" is not available.*/, '`import.meta` is empty in actions'],
  [
    /^No matching export in "svc:(\w+)" for import "(.*)"$/,
    '`$2` of node:$1 is not available in actions',
  ],
  [
    /^Could not resolve ("[^./].*")$/,
    'cannot find $1; install the package, and check the spelling',
  ],
]
