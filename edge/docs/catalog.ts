import { GUIDE_PATH } from '../skill/documents.ts'
import { DECISIONS, docsPath, documentName } from './document-paths.ts'
import type { DocumentSource } from './document-source.ts'
import { namesInSection, SECTIONS } from './sections.ts'
import { SOURCES } from './sources.ts'

const byName = new Map(SOURCES.map((source) => [documentName(source.file), source]))

export function findDocument(name: string): DocumentSource | undefined {
  return byName.get(name)
}

export function pagePathOf(file: string): string | undefined {
  if (file === `docs/${DECISIONS}/`) return docsPath(DECISIONS)
  if (file === 'edge/skill/SKILL.md') return GUIDE_PATH
  const name = documentName(file)
  return file.endsWith('.md') && byName.has(name) ? docsPath(name) : undefined
}

export type DocumentLink = { href: string; title: string; lead: string }

/** Entry for the README. Replaces the README's own title, which is only the name of the project. */
const START = { name: 'start', title: 'Start here' }

const toDocumentLink = ([name, { title, lead }]: [string, DocumentSource]): DocumentLink => ({
  href: docsPath(name),
  title: name === START.name ? START.title : title,
  lead,
})

const ALL_DECISIONS: DocumentLink = {
  href: docsPath(DECISIONS),
  title: 'Decisions',
  lead: 'What was decided where there was a choice, each with its reasons.',
}

export function sections(): { title: string; documents: DocumentLink[] }[] {
  const all = [DECISIONS, ...byName.keys()]
  return SECTIONS.map((section) => ({
    title: section.title,
    documents: namesInSection(section, all).map((name) =>
      name === DECISIONS ? ALL_DECISIONS : toDocumentLink([name, byName.get(name)!]),
    ),
  })).filter(({ documents }) => documents.length > 0)
}

export function decisions(): DocumentLink[] {
  return [...byName].filter(([name]) => name.startsWith(`${DECISIONS}/`)).map(toDocumentLink)
}
