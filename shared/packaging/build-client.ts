/**
 * Builds the package `svc/client`: ES modules for browsers, Workers and Node, and type declarations. The larger parts
 * are in chunks that are loaded on first use. Run by `npm run client`, and before the package is packed.
 */
import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { chunkSizes, entrySize } from './chunk-sizes.ts'
import { englishOnly } from './english-only.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export const CLIENT_DIST = here('../client/dist')

/** Build options of the client. Tests that bundle the client must use the same options. */
export const FOR_ANY_RUNTIME = {
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

/** @param outDir output folder, which is emptied first */
export async function buildClient(outDir: string): Promise<Metafile> {
  await rm(outDir, { recursive: true, force: true })
  await mkdir(outDir, { recursive: true })
  const { metafile } = await build({
    ...FOR_ANY_RUNTIME,
    plugins: [...FOR_ANY_RUNTIME.plugins],
    entryPoints: [here('../client/index.ts')],
    outdir: outDir,
    splitting: true,
    minify: true,
    // ethers is external: callers that sign with ethers have it installed, and API mode does not need it.
    external: ['ethers'],
    metafile: true,
  })
  return metafile
}

export async function declareClient(outDir: string): Promise<void> {
  const tsc = here('../../node_modules/typescript/bin/tsc')
  const project = here('declarations.tsconfig.json')
  const args = [tsc, '-p', project, '--outDir', join(outDir, 'types')]
  await promisify(execFile)(process.execPath, args)
}

if (import.meta.main) {
  const metafile = await buildClient(CLIENT_DIST)
  await declareClient(CLIENT_DIST)
  for (const { name, gzipped } of await chunkSizes(CLIENT_DIST, metafile))
    console.log(`${name.padEnd(28)} ${String(gzipped).padStart(7)} bytes gzipped`)
  console.log(`initial load: ${await entrySize(CLIENT_DIST, metafile)} bytes gzipped`)
}
