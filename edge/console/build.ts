import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishAlone } from '../../shared/packaging/english-alone.ts'
import { loadedLater } from './loaded-later.ts'
import { noMarkupOfText } from './no-markup-of-text.ts'

/**
 * Bundles each folder's browser code (a page's `script.ts`, or a `module.ts` that scripts import on demand) into a
 * `script.txt`, which the Worker serves as text. A test checks that every bundle matches its sources.
 */
const here = fileURLToPath(new URL('.', import.meta.url))

const SOURCES = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
} as const
type Source = keyof typeof SOURCES

export const SCRIPTS: string[] = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && sourceOf(entry.name) !== undefined)
  .map(({ name }) => name)

function sourceOf(script: string): Source | undefined {
  const files = readdirSync(`${here}${script}`)
  return (Object.keys(SOURCES) as Source[]).find((source) => files.includes(source))
}

export const builtScriptFile = (script: string) => `${here}${script}/script.txt`

export async function scriptText(script: string): Promise<string> {
  const source = sourceOf(script)!
  const result = await build({
    entryPoints: [`${here}${script}/${source}`],
    bundle: true,
    write: false,
    format: SOURCES[source],
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
    plugins: [englishAlone, noMarkupOfText, loadedLater],
  })
  const [file] = result.outputFiles
  return `${file!.text.trim()}\n`
}

if (import.meta.main)
  for (const script of SCRIPTS) await writeFile(builtScriptFile(script), await scriptText(script))
