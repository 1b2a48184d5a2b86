import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { englishAlone } from '../../../shared/packaging/english-alone.ts'

/**
 * Makes script.txt: what the page `/verify` runs, in one piece, for browsers. Run by `npm run verify-page`; a test holds
 * that script.txt is what comes of it. It is text to the Worker, which hands it out and never runs it.
 */
const OUTPUT = fileURLToPath(new URL('script.txt', import.meta.url))

export async function scriptText(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('script.ts', import.meta.url))],
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

if (import.meta.main) await writeFile(OUTPUT, await scriptText())
