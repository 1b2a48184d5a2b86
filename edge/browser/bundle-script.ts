import { relative } from 'node:path'
import { build } from 'esbuild'
import { englishOnly } from '../../shared/packaging/english-only.ts'
import { externalizeServedModules } from './esbuild-plugins/served-modules.ts'
import { removeHtmlSinks } from './esbuild-plugins/remove-html-sinks.ts'

export type Bundle = {
  text: string
  /** Paths of the files that esbuild read, relative to the root. */
  inputs: string[]
}

/**
 * Bundles a page's script, or a module that scripts import on demand.
 * @param root error messages contain paths relative to it
 * @throws {Error} if a source is invalid; the message is esbuild's
 */
export async function bundleScript(
  root: string,
  entryPoint: string,
  format: 'iife' | 'esm',
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [relative(root, entryPoint)],
    bundle: true,
    write: false,
    metafile: true,
    format,
    platform: 'browser',
    target: 'es2022',
    // JSX is compiled for the DOM here, although the Worker also renders some of the components.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'hono/jsx/dom' } },
    // Browsers import these from the Worker at runtime.
    external: ['/scripts/*'],
    // The scripts adopt style sheets as text.
    loader: { '.css': 'text' },
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [englishOnly, removeHtmlSinks, externalizeServedModules],
  })
  return {
    text: `${outputFiles[0]!.text.trim()}\n`,
    // Empty modules that replace packages for Node only. No file is read.
    inputs: Object.keys(metafile.inputs).filter((path) => !path.startsWith('(disabled):')),
  }
}
