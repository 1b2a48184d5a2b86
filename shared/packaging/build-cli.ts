import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { englishOnly } from './english-only.ts'
import { NODE_MIN } from './package-names.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** CommonJS packages call `require`, which ES modules do not have. */
const DEFINE_REQUIRE = `import { createRequire as createRequireOfPackage } from 'node:module'
const require = createRequireOfPackage(import.meta.url)`

/**
 * Bundles the command line with all packages that it imports. Each command's code is a chunk that is loaded when the
 * command runs.
 * @param outDir output folder, which is emptied first
 */
export async function buildCli(outDir: string, version: string): Promise<Metafile> {
  await rm(outDir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: here('../..'),
    entryPoints: { svc: here('../cli/main.ts') },
    outdir: outDir,
    bundle: true,
    splitting: true,
    // Not minified, so that Node can print the line of an error.
    minifySyntax: true,
    format: 'esm',
    platform: 'node',
    target: `node${NODE_MIN}`,
    conditions: ['module-sync'],
    // Loaded from the project of the action that is built.
    external: ['esbuild'],
    // undici 8 does not run on Node 20.
    alias: { undici: 'undici-7' },
    banner: { js: DEFINE_REQUIRE },
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    metafile: true,
    plugins: [
      englishOnly,
      {
        name: 'fixed version',
        setup(builder) {
          const contents = `export const version = ${JSON.stringify(version)}`
          builder.onLoad({ filter: /shared\/cli\/version\.ts$/ }, () => ({ contents }))
        },
      },
    ],
  })
  return metafile
}
