import { readFile } from 'node:fs/promises'
import { dirname, extname, relative } from 'node:path'
import type { Loader, Plugin } from 'esbuild'
import type { Built } from '../../shared/packaging/rebuild-stale.ts'

/** Packages that only some starts import, or that read their own files. */
const EXTERNAL = ['esbuild', 'miniflare', 'wrangler']

/** CommonJS packages call `require`, which ES modules do not have. */
const DEFINE_REQUIRE = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.filename)`

const MODULE_URL = /\bimport\.meta\.url\b/g

/**
 * Bundles a module and everything that it imports. The bundle is not minified, so that stack traces stay readable; Node
 * would need 0.1 s to load a source map.
 * @param folder folder of the bundle
 */
export async function bundleNode(root: string, entry: string, folder: string): Promise<Built> {
  // Imported here, because a bundle would import it at its start.
  const { build } = await import('esbuild')
  const path = relative(root, entry)
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [path],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: `node${process.versions.node}`,
    // Resolves the same files as Node.
    conditions: ['module-sync'],
    tsconfigRaw: {
      compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true },
    },
    external: EXTERNAL,
    banner: { js: DEFINE_REQUIRE },
    define: { 'import.meta.main': 'false' },
    // Classes and errors keep their names if a bundled variable is renamed.
    keepNames: true,
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [keepModuleUrls(folder)],
  }).catch((error: Error) => {
    throw new Error(`${path} could not be bundled: ${error.message}`, { cause: error })
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
