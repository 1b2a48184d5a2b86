import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Hono's statements that parse text as markup, which the content security policy forbids and our code does not need.
 */
const REPLACEMENTS = [
  ['else if (key === "dangerouslySetInnerHTML" && value) container.innerHTML = value.__html;', ''],
  [
    'if (preserveNodeType === 2) e.innerHTML = "";',
    'if (preserveNodeType === 2) e.replaceChildren();',
  ],
] as const

/** Removes these statements, so that a test can check that no script contains one. */
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
