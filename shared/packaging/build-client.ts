import { mkdir, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { englishOnly } from './english-only.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Build options of the client. Tests that bundle the client must use the same options. */
export const FOR_ANY_RUNTIME = {
  absWorkingDir: here('../..'),
  bundle: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'silent',
  plugins: [englishOnly],
} as const

/**
 * Builds the client library for browsers, Workers and Node. In an ES module, the larger parts are in chunks that are
 * loaded on first use.
 * @param outDir output folder, which is emptied first
 */
export async function buildClient(
  outDir: string,
  format: 'esm' | 'cjs' = 'esm',
): Promise<Metafile> {
  await rm(outDir, { recursive: true, force: true })
  await mkdir(outDir, { recursive: true })
  const { metafile } = await build({
    ...FOR_ANY_RUNTIME,
    plugins: [...FOR_ANY_RUNTIME.plugins],
    format,
    entryPoints: [here('../client/index.ts')],
    outdir: outDir,
    splitting: format === 'esm',
    minify: true,
    // ethers is external: callers that sign with ethers have it installed, and API mode does not need it.
    external: ['ethers'],
    metafile: true,
  })
  return metafile
}
