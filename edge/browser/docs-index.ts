/** Provides the search index of the documents as the module `svc:docs-index` of page scripts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { buildSearchIndex } from '../../shared/documents/search-index.ts'
import { DECISIONS, docsPath, documentName } from '../docs/document-paths.ts'

const MODULE = 'svc:docs-index'
const NAMESPACE = 'docs-index'

/** Generated list of the documents. It is read as text, because importing it would import all documents. */
const LIST = 'edge/docs/sources.ts'

/** Names of a metafile's inputs that are not files. */
export const isDocsIndex = (input: string) => input.startsWith(`${NAMESPACE}:`)

/** @returns the plugin, and the list to which it adds the files that it reads, relative to the root */
export function docsIndex(root: string): { plugin: Plugin; inputs: string[] } {
  const inputs: string[] = []
  const setup: Plugin['setup'] = (esbuild) => {
    esbuild.onResolve({ filter: new RegExp(`^${MODULE}$`) }, () => ({
      path: MODULE,
      namespace: NAMESPACE,
    }))
    esbuild.onLoad({ filter: /./, namespace: NAMESPACE }, () => {
      inputs.push(LIST)
      const documents = listedIn(readFileSync(join(root, LIST), 'utf8')).map(({ file, title }) => {
        const href = docsPath(documentName(file))
        // Of decisions, only the titles are indexed.
        if (documentName(file).startsWith(`${DECISIONS}/`)) return { href, title, text: '' }
        inputs.push(file)
        return { href, title, text: readFileSync(join(root, file), 'utf8') }
      })
      return { contents: JSON.stringify(buildSearchIndex(documents)), loader: 'json' }
    })
  }
  return { plugin: { name: 'Search index', setup }, inputs }
}

function listedIn(list: string): { file: string; title: string }[] {
  const entries = [...list.matchAll(/\{ file: '([^']+)', title: ("(?:[^"\\]|\\.)*")/g)]
  if (entries.length === 0) throw new Error(`no documents in ${LIST}`)
  return entries.map(([, file, title]) => ({ file: file!, title: JSON.parse(title!) as string }))
}
