import { readFile } from 'node:fs/promises'
import { dirname, extname, relative } from 'node:path'
import type { BuildOptions, Loader, Plugin } from 'esbuild'
import type { Built } from './rebuild-stale.ts'

/** Packages that only some starts import, or that read their own files. */
const EXTERNAL = ['esbuild', 'miniflare', 'wrangler']

/** CommonJS packages call `require`, which ES modules do not have. */
const DEFINE_REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.filename)`

/** ES modules read `import.meta.url`, which CommonJS modules do not have, and run in strict mode. */
const DEFINE_URL = `'use strict'
const bundleUrl = require('node:url').pathToFileURL(__filename).href`

const NOT_MAIN = { 'import.meta.main': 'false' }
const ES_MODULE = {
  format: 'esm',
  banner: { js: DEFINE_REQUIRE },
  define: NOT_MAIN,
} satisfies BuildOptions
const COMMON_JS = {
  format: 'cjs',
  banner: { js: DEFINE_URL },
  // Joined at run time, because the literal name would be replaced when this module is itself bundled.
  define: { ...NOT_MAIN, [['import', 'meta', 'url'].join('.')]: 'bundleUrl' },
} satisfies BuildOptions

const MODULE_URL = /\bimport\.meta\.url\b/g

/**
 * Bundles a module and everything that it imports. The bundle is not minified, so that stack traces stay readable; Node
 * would need 0.1 s to load a source map.
 * @param entry path relative to `root`, or a module of a package
 * @param target absolute path of the bundle, which is a CommonJS module if the path ends in `.cjs`
 */
export async function bundleNode(root: string, entry: string, target: string): Promise<Built> {
  // Imported here, because a bundle would import it at its start.
  const { build } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    ...(extname(target) === '.cjs' ? COMMON_JS : ES_MODULE),
    platform: 'node',
    target: 'node24',
    // Resolves the same files as Node.
    conditions: ['module-sync'],
    tsconfigRaw: {
      compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true },
    },
    external: EXTERNAL,
    // Classes and errors keep their names if a bundled variable is renamed.
    keepNames: true,
    // V8 needs two bytes for each character of a source that is not Latin-1.
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [keepModuleUrls(dirname(target))],
  }).catch((error: Error) => {
    throw new Error(`${entry} could not be bundled: ${error.message}`, { cause: error })
  })
  return { text: outputFiles[0]!.text, inputs: Object.keys(metafile.inputs) }
}

/** Makes each module find files relative to its source. The path is relative, because the tree may be moved. */
function keepModuleUrls(folder: string): Plugin {
  return {
    name: 'keep-module-urls',
    setup(builder) {
      builder.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
        const source = await readFile(path, 'utf8')
        if (source.search(MODULE_URL) < 0) return undefined
        const url = `new URL(${JSON.stringify(relative(folder, path))}, $&).href`
        return {
          contents: source.replaceAll(MODULE_URL, url),
          loader: extname(path).slice(-2) as Loader,
          resolveDir: dirname(path),
        }
      })
    },
  }
}
