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
    // Replaces Preact's assignment to `innerHTML`, which nothing uses. The content security policy forbids it.
    mangleProps: /^innerHTML$/,
    mangleCache: { innerHTML: 'textContent' },
    // Modules that browsers import from the Worker at runtime.
    external: ['/scripts/*'],
    loader: { '.css': 'text' },
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [englishOnly, externalizeServedModules],
  })
  return {
    text: `${outputFiles[0]!.text.trim()}\n`,
    // Omits the empty modules that replace packages for Node, because they are not files.
    inputs: Object.keys(metafile.inputs).filter((path) => !path.startsWith('(disabled):')),
  }
}
