import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishAlone } from '../../shared/packaging/english-alone.ts'
import { loadedLater } from './loaded-later.ts'
import { noMarkupOfText } from './no-markup-of-text.ts'

/**
 * Makes the `script.txt` of each folder that has something for browsers: `script.ts` is what a page runs as soon as it is
 * there, `module.ts` what a script imports when it is needed (an editor, charts). Each comes in one piece. Run by
 * `npm run page-scripts`; a test holds that each is what comes of its sources. It is text to the Worker, which hands it
 * out and never runs it.
 */
const here = fileURLToPath(new URL('.', import.meta.url))

const SOURCES = {
  'script.ts': 'iife',
  'script.tsx': 'iife',
  'module.ts': 'esm',
  'module.tsx': 'esm',
} as const
type Source = keyof typeof SOURCES

/** The folders, by name. */
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
    // What a browser draws, and what the Worker writes, can be of the same parts.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'hono/jsx/dom' } },
    // Imported when it is needed, from where it is served.
    external: ['/scripts/*'],
    // Adopted by the script that needs it.
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
