import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishAlone } from '../../shared/packaging/english-alone.ts'

/**
 * Makes each page's `script.txt`: what the page runs, in one piece, for browsers. Run by `npm run page-scripts`; a test
 * holds that each is what comes of its sources. It is text to the Worker, which hands it out and never runs it.
 */
export const PAGES_WITH_SCRIPT = ['account', 'sign-in', 'verify'] as const
export type PageWithScript = (typeof PAGES_WITH_SCRIPT)[number]

const inFolder = (page: PageWithScript, file: string) =>
  fileURLToPath(new URL(`${page}/${file}`, import.meta.url))

export const builtScriptFile = (page: PageWithScript) => inFolder(page, 'script.txt')

export async function scriptText(page: PageWithScript): Promise<string> {
  const result = await build({
    entryPoints: [inFolder(page, 'script.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    define: { global: 'globalThis', 'process.env.NODE_ENV': '"production"' },
    minify: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    plugins: [englishAlone],
  })
  const [file] = result.outputFiles
  return `${file!.text.trim()}\n`
}

if (import.meta.main)
  for (const page of PAGES_WITH_SCRIPT)
    await writeFile(builtScriptFile(page), await scriptText(page))
