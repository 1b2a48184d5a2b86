import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

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

/** zod has its messages in fifty languages, 250 kB of them. */
const englishAlone: Plugin = {
  name: 'English alone',
  setup(esbuild) {
    esbuild.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js"',
    }))
  },
}

if (import.meta.main) await writeFile(OUTPUT, await scriptText())
