import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { englishOnly } from '../../shared/packaging/english-only.ts'
import type { Built } from '../../shared/packaging/rebuild-stale.ts'

/**
 * Modules that the client library imports on demand. They are excluded from bundles, because esbuild would otherwise
 * include them in each page script.
 */
const SERVED_MODULES = [
  { of: /^ethers$/, script: '/scripts/ethers.js' },
  { of: /\/verifier\.ts$/, script: '/scripts/verifier.js' },
  { of: /\/policies\/policy(?:-error)?\.ts$/, script: '/scripts/policies.js' },
]

const externalizeServedModules: Plugin = {
  name: 'Loaded later',
  setup(esbuild) {
    for (const { of, script } of SERVED_MODULES)
      esbuild.onResolve({ filter: of }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: script, external: true } : undefined,
      )
  },
}

/**
 * Preact assigns to `innerHTML` for `dangerouslySetInnerHTML`, which our code does not use. The content security policy
 * forbids the assignment.
 */
const removeHtmlSink: Plugin = {
  name: 'No markup of text',
  setup(esbuild) {
    esbuild.onLoad({ filter: /\/preact\/dist\/preact\.mjs$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      return { contents: source.replaceAll('.innerHTML', '.textContent'), loader: 'js' }
    })
  },
}

/** @param root directory to which the paths in error messages are relative */
export async function bundleScript(
  root: string,
  entryPoint: string,
  format: 'iife' | 'esm',
): Promise<Built> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [relative(root, entryPoint)],
    bundle: true,
    write: false,
    metafile: true,
    format,
    platform: 'browser',
    target: 'es2022',
    // The Worker renders some of the same components with hono/jsx, whose types they use.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
    // Modules that browsers import from the Worker at runtime.
    external: ['/scripts/*'],
    loader: { '.css': 'text' },
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [englishOnly, externalizeServedModules, removeHtmlSink],
  })
  return {
    text: `${outputFiles[0]!.text.trim()}\n`,
    // Omits the empty modules that replace packages for Node, because they are not files.
    inputs: Object.keys(metafile.inputs).filter((path) => !path.startsWith('(disabled):')),
  }
}
