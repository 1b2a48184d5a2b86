import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishOnly } from '../../shared/packaging/english-only.ts'
import { externalizeServedModules } from './esbuild-plugins/served-modules.ts'
import { removeHtmlSinks } from './esbuild-plugins/remove-html-sinks.ts'

/**
 * Bundles each folder's browser code (a page's `script.ts`, or a `module.ts` that scripts import on demand) into a
 * `script.txt`, which the Worker serves as text. A test checks that every bundle matches its sources.
 */
const here = fileURLToPath(new URL('.', import.meta.url))

const ENTRY_FORMATS = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
} as const
type EntryFile = keyof typeof ENTRY_FORMATS

export const SCRIPTS: string[] = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entryFileOf(entry.name) !== undefined)
  .map(({ name }) => name)

function entryFileOf(script: string): EntryFile | undefined {
  const files = readdirSync(`${here}${script}`)
  return (Object.keys(ENTRY_FORMATS) as EntryFile[]).find((source) => files.includes(source))
}

export const bundlePath = (script: string) => `${here}${script}/script.txt`

export async function bundleScript(script: string): Promise<string> {
  const entryFile = entryFileOf(script)!
  const result = await build({
    entryPoints: [`${here}${script}/${entryFile}`],
    bundle: true,
    write: false,
    format: ENTRY_FORMATS[entryFile],
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
  const [file] = result.outputFiles
  return `${file!.text.trim()}\n`
}

if (import.meta.main)
  for (const script of SCRIPTS) await writeFile(bundlePath(script), await bundleScript(script))
