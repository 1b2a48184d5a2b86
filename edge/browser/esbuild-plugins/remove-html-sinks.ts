import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Statements of hono that parse text as markup, with their replacements. The content security policy forbids such
 * statements, and our code does not need them.
 */
const REPLACEMENTS = [
  ['else if (key === "dangerouslySetInnerHTML" && value) container.innerHTML = value.__html;', ''],
  [
    'if (preserveNodeType === 2) e.innerHTML = "";',
    'if (preserveNodeType === 2) e.replaceChildren();',
  ],
] as const

export const removeHtmlSinks: Plugin = {
  name: 'No markup of text',
  setup(esbuild) {
    esbuild.onLoad({ filter: /hono\/dist\/jsx\/dom\/.*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const [sink, replacement] of REPLACEMENTS) contents = contents.replace(sink, replacement)
      return { contents, loader: 'js' }
    })
  },
}
