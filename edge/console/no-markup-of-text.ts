import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/**
 * Statements in hono that parse text as markup. Our pages' content security policy forbids this, and our code does not
 * need it.
 */
const ASSIGNMENTS = [
  'else if (key === "dangerouslySetInnerHTML" && value) container.innerHTML = value.__html;',
  'if (preserveNodeType === 2) e.innerHTML = "";',
]
const WITHOUT = ['', 'if (preserveNodeType === 2) e.replaceChildren();']

/**
 * esbuild plugin that removes the statements in hono that parse text as markup. A test can then check that no script
 * contains such a statement.
 */
export const noMarkupOfText: Plugin = {
  name: 'No markup of text',
  setup(esbuild) {
    esbuild.onLoad({ filter: /hono\/dist\/jsx\/dom\/.*\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const [i, line] of ASSIGNMENTS.entries()) contents = contents.replace(line, WITHOUT[i]!)
      return { contents, loader: 'js' }
    })
  },
}
