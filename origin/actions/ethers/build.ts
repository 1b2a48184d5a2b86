import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type OnLoadArgs, type Plugin, build } from 'esbuild'
import { EDITS, applyEdits } from './edits.ts'
import { NAME_TABLES, nameTables } from './name-tables.ts'

/**
 * Builds bundle.js from the published ethers v5, with its cryptography replaced by `modules/` and with the edits in
 * `edits.ts`. Run with `npm run ethers-bundle`. A test checks that bundle.js is up to date.
 */

/** Replacement modules in `modules/`. Each key is the end of the path of the module to replace. */
const REPLACEMENTS: Record<string, string> = {
  '@ethersproject/signing-key/lib.esm/index.js': 'signing-key.js',
  '@ethersproject/keccak256/lib.esm/index.js': 'keccak256.js',
  '@ethersproject/sha2/lib.esm/sha2.js': 'sha2.js',
  '@ethersproject/pbkdf2/lib.esm/pbkdf2.js': 'pbkdf2.js',
  'scrypt-js/scrypt.js': 'scrypt.js',
  'bn.js/lib/bn.js': 'bn.js',
  '@ethersproject/wordlists/lib.esm/wordlists.js': 'wordlists.js',
}

/** Packages that must not be in the bundle. If one is, a replacement is incomplete. */
const EXCLUDED_PACKAGES = ['elliptic', 'hash.js', 'js-sha3', 'lib.esm/elliptic.js']

const OUTPUT = fileURLToPath(new URL('bundle.js', import.meta.url))

/**
 * Builds the bundle: a function expression that takes the host object, defines `globalThis.ethers` and returns it.
 * @throws Error if the installed ethers package is not the supported version
 */
export async function buildBundle(): Promise<string> {
  const used = new Set<string>()
  const result = await build({
    entryPoints: [fileURLToPath(new URL('entry.js', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    format: 'iife',
    globalName: 'ethers',
    target: 'es2022',
    platform: 'browser',
    mainFields: ['module', 'main'],
    define: { global: 'globalThis' },
    keepNames: true,
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [replacementPlugin(used)],
  })
  const inputs = Object.keys(result.metafile.inputs)
  const missed = [...Object.keys(REPLACEMENTS), ...Object.keys(EDITS), NAME_TABLES].filter(
    (end) => !used.has(end),
  )
  if (missed.length > 0) throw new Error(`ethers v5 no longer has: ${missed.join(', ')}`)
  const foreign = inputs.filter((path) =>
    EXCLUDED_PACKAGES.some((part) => path.includes(`/${part}`)),
  )
  if (foreign.length > 0) throw new Error(`the bundle would contain ${foreign.join(', ')}`)
  const [file] = result.outputFiles
  // The bundle starts with a strict mode directive. It comes first in the wrapping function and thus makes it strict,
  // as the modules were.
  if (!file?.text.startsWith('"use strict";')) throw new Error('the bundle is not in strict mode')
  return `/* oxlint-disable -- made by build.ts */(function ethersOf(host){${file.text.trim()}globalThis.ethers=ethers;return ethers})\n`
}

function replacementPlugin(used: Set<string>): Plugin {
  return {
    name: 'the host’s cryptography',
    setup(esbuild) {
      const load = async ({ path }: OnLoadArgs) => {
        if (path.endsWith(`/node_modules/${NAME_TABLES}`)) {
          used.add(NAME_TABLES)
          return { contents: nameTables() }
        }
        const contents = await readFile(path, 'utf8')
        const inPlace = Object.keys(REPLACEMENTS).find((end) =>
          path.endsWith(`/node_modules/${end}`),
        )
        if (inPlace !== undefined) {
          used.add(inPlace)
          const ours = new URL(`modules/${REPLACEMENTS[inPlace]}`, import.meta.url)
          return { contents: await readFile(ours, 'utf8') }
        }
        const end = Object.keys(EDITS).find((key) => path.endsWith(`/node_modules/${key}`))
        if (end === undefined) return { contents }
        used.add(end)
        return { contents: applyEdits(end, contents) }
      }
      esbuild.onLoad({ filter: /\/node_modules\/.*\.js$/ }, load)
    },
  }
}

if (import.meta.main) await writeFile(OUTPUT, await buildBundle())
