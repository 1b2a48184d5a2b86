import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishAlone } from '../../shared/packaging/english-alone.ts'
import { loadedLater } from './loaded-later.ts'
import { noMarkupOfText } from './no-markup-of-text.ts'

/**
 * Builds the `script.txt` of each folder with browser code. A page runs `script.ts` as soon as it loads; scripts import
 * `module.ts` on demand (an editor, charts). Each output is a single file. Run by `npm run page-scripts`; a test checks
 * that every output matches its sources. The Worker serves the output as text and never executes it.
 */
const here = fileURLToPath(new URL('.', import.meta.url))

const SOURCES = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
} as const
type Source = keyof typeof SOURCES

/** Names of the folders to build. */
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
    // Compiles JSX for the DOM. The same components can also be rendered by the Worker.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'hono/jsx/dom' } },
    // Imported at runtime from the path where the Worker serves it.
    external: ['/scripts/*'],
    // Imported as text, for the script to adopt as a style sheet.
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
