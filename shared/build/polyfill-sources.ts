import { fileURLToPath } from 'node:url'
import type { BuildOptions, Metafile } from 'esbuild'
import type { Esbuild } from './load-esbuild.ts'
import { ProjectFiles } from './project-files.ts'
import { moduleNames, renameModules } from './script.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/**
 * Returns the source of a polyfill as one module. The packaged command line contains the sources instead
 * (`shared/packaging/embed-polyfills.ts`).
 */
export async function polyfillSource(name: string, esbuild: Esbuild): Promise<string> {
  return (await bundlePolyfill(name, esbuild)).source
}

/** Bundles a polyfill with the package that it wraps, but not with other polyfills. */
export async function bundlePolyfill(
  name: string,
  { build }: Esbuild,
): Promise<{ source: string; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...POLYFILL_OPTIONS,
    entryPoints: [here(`polyfills/${name}.js`)],
  })
  const files = new ProjectFiles(POLYFILL_OPTIONS.absWorkingDir)
  return {
    source: renameModules(outputFiles[0]!.text, moduleNames(metafile.inputs, files)),
    metafile,
  }
}

const POLYFILL_OPTIONS = {
  absWorkingDir: here('../..').replace(/\/$/, ''),
  absPaths: ['code', 'metafile'],
  bundle: true,
  external: ['svc:*'],
  format: 'esm',
  platform: 'browser',
  target: 'es2023',
  charset: 'utf8',
  legalComments: 'inline',
  tsconfigRaw: '{}',
  write: false,
  metafile: true,
  logLevel: 'silent',
} satisfies BuildOptions
