/**
 * Writes `edge/docs/sources.ts`, which documents the edge serves (`npm run docs-list`): a Worker has no folders to look into.
 * A test holds that the list is what is there.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Marked, type Tokens } from 'marked'
import { plainText } from '../shared/documents/markdown.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
export const DOCUMENTS_LIST = `${root}edge/docs/sources.ts`

/** What is to be done next is for who works on it, and the list of documents is a page of the edge's own. */
export const UNSERVED = ['docs/plan.md', 'docs/README.md']

export function servedDocuments(): string[] {
  const inDocs = readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
  return ['README.md', ...inDocs.toSorted()].filter((file) => !UNSERVED.includes(file))
}

export function documentsList(): string {
  const entries = servedDocuments().map((file) => {
    const { title, lead } = beginningOf(readFileSync(root + file, 'utf8'))
    return `  {
    file: '${file}',
    title: ${quoted(title)},
    lead: ${quoted(file.startsWith('docs/decisions/') ? '' : lead)},
    load: () => import('../../${file}'),
  },\n`
  })
  return `/** Made by \`npm run docs-list\`: not edited by hand. */
import type { DocumentSource } from './document-source.ts'

export const SOURCES: readonly DocumentSource[] = [\n${entries.join('')}]\n`
}

/** The h1, and the first sentence of the first paragraph, without markup. Decisions all begin with their status. */
function beginningOf(text: string): { title: string; lead: string } {
  const tokens = new Marked({ gfm: true }).lexer(text)
  const inner = (type: string) => {
    const found = tokens.find((token) => token.type === type) as Tokens.Generic | undefined
    return plainText(found?.tokens ?? [])
  }
  const paragraph = withoutBreaks(inner('paragraph'))
  const [sentence = paragraph] = /^.*?[.!?](?=\s|$)/.exec(paragraph) ?? []
  return { title: withoutBreaks(inner('heading')), lead: sentence }
}

const withoutBreaks = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

const quoted = (text: string) => JSON.stringify(text)

if (import.meta.main) writeFileSync(DOCUMENTS_LIST, documentsList())
