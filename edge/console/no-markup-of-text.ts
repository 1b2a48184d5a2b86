import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** hono's way to make markup of text, and the lines that do it: a page's policy forbids them, and nothing of ours asks. */
const ASSIGNMENTS = [
  'else if (key === "dangerouslySetInnerHTML" && value) container.innerHTML = value.__html;',
  'if (preserveNodeType === 2) e.innerHTML = "";',
]
const WITHOUT = ['', 'if (preserveNodeType === 2) e.replaceChildren();']

/** Scripts have no such line in them, so that a test can hold that none makes markup of text. */
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
