import { execFile } from 'node:child_process'
import { copyFile, cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Metafile, type Plugin } from 'esbuild'
import { embedPolyfills } from './embed-polyfills.ts'
import { englishOnly } from './english-only.ts'
import { NODE_MIN } from './package-names.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** CommonJS packages call `require`, which ES modules do not have. */
const DEFINE_REQUIRE = `import { createRequire as createRequireOfPackage } from 'node:module'
const require = createRequireOfPackage(import.meta.url)`

/** Node cannot run TypeScript in `node_modules`. In the package, the files of the sandbox are beside the bundles. */
const packedSandbox: Plugin = {
  name: 'packed sandbox',
  setup(builder) {
    const filter = /\/(files|template)\.ts$/
    builder.onResolve({ filter }, ({ path, resolveDir }) =>
      resolveDir === here('../../origin/testing/sandbox')
        ? { path: join(resolveDir, path.replace('./', 'packed-')) }
        : undefined,
    )
    // Builds of the engine that are not used.
    const unused = /quickjs-wasmfile-(debug-sync|debug-asyncify|release-asyncify)/
    builder.onLoad({ filter: unused }, () => ({ contents: 'export default undefined' }))
  },
}

/**
 * Bundles the command line and the library for tests of actions, with all packages that they import. Each command's code
 * is a chunk that is loaded when the command runs.
 * @param outDir output folder, which is emptied first
 * @returns the metafiles of everything that the bundle contains; the first is that of the command line
 */
export async function buildCli(
  outDir: string,
  version: string,
): Promise<[Metafile, ...Metafile[]]> {
  await rm(outDir, { recursive: true, force: true })
  const polyfills = await embedPolyfills()
  const { metafile } = await build({
    absWorkingDir: here('../..'),
    entryPoints: {
      svc: here('../cli/main.ts'),
      test: here('../../origin/testing/index.ts'),
      'sandbox-process': here('../../origin/testing/sandbox/process.ts'),
    },
    outdir: outDir,
    bundle: true,
    splitting: true,
    // Not minified, so that Node can print the line of an error.
    minifySyntax: true,
    format: 'esm',
    platform: 'node',
    target: `node${NODE_MIN}`,
    conditions: ['module-sync'],
    // undici 8 does not run on Node 20.
    alias: { undici: 'undici-7' },
    // Packages of the project that uses the command line.
    external: ['esbuild', 'vitest'],
    banner: { js: DEFINE_REQUIRE },
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    metafile: true,
    plugins: [
      englishOnly,
      packedSandbox,
      polyfills.plugin,
      {
        name: 'fixed version',
        setup(builder) {
          const contents = `export const version = ${JSON.stringify(version)}`
          builder.onLoad({ filter: /shared\/cli\/version\.ts$/ }, () => ({ contents }))
        },
      },
      {
        name: 'packed examples',
        setup(builder) {
          const contents = `export const EXAMPLES_FOLDER = new URL('./examples/', import.meta.url)`
          builder.onLoad({ filter: /project\/examples-folder\.ts$/ }, () => ({ contents }))
        },
      },
    ],
  })
  const curve = here('../../node_modules/tiny-secp256k1/lib/secp256k1.wasm')
  await copyFile(curve, join(outDir, 'secp256k1.wasm'))
  await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    // As for the process that builds the origin's template (`origin/actions/pool/fork.ts`).
    '--stack-size=4000',
    here('../../origin/testing/sandbox/write-template.ts'),
    join(outDir, 'sandbox-template.bin'),
  ])
  await cp(here('../../examples'), join(outDir, 'examples'), {
    recursive: true,
    filter: (path) => !/tsconfig\.(json|tsbuildinfo)$/.test(path),
  })
  await copyFile(here('../../docs/svc.schema.json'), join(outDir, 'svc.schema.json'))
  return [metafile, ...polyfills.metafiles]
}
