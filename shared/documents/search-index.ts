/** Full-text index of our documents, which a page script searches in the browser. */
import { marked } from 'marked'
import { headingIds } from './heading-ids.ts'
import { plainText } from './markdown.ts'
import { type IndexedSection, type SearchIndex, wordsOf } from './search-words.ts'

type IndexedDocument = { href: string; title: string; text: string }

const WORD_MAX_CHARACTERS = 30

/** A word that occurs in more sections than this, and in more than this share of them, selects nothing. */
const FREQUENT_SECTIONS = 20
const FREQUENT_SHARE = 0.25

/** Headings down to this depth start a section. */
const SECTION_DEPTH = 3

export function buildSearchIndex(documents: readonly IndexedDocument[]): SearchIndex {
  const sections: IndexedSection[] = []
  const postings = new Map<string, number[]>()
  const add = (text: string) => {
    const at = sections.length - 1
    for (const word of wordsOf(text)) {
      if (word.length > WORD_MAX_CHARACTERS) continue
      const found = postings.get(word)
      if (!found) postings.set(word, [at])
      else if (found.at(-1) !== at) found.push(at)
    }
  }
  for (const { href, title, text } of documents) {
    const idOf = headingIds()
    sections.push({ href, page: title, heading: '' })
    add(title)
    for (const token of marked.lexer(text)) {
      if (token.type === 'heading') {
        const heading = plainText(token.tokens ?? [])
        const id = idOf(heading)
        if (token.depth > 1 && token.depth <= SECTION_DEPTH)
          sections.push({ href: `${href}#${id}`, page: title, heading })
        add(heading)
      } else add(token.raw)
    }
  }
  const lines = [...postings]
    .filter(
      ([, found]) => found.length <= Math.max(FREQUENT_SECTIONS, sections.length * FREQUENT_SHARE),
    )
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([word, found]) => `${word} ${differences(found)}`)
  return { sections, words: lines.join('\n') }
}

const differences = (numbers: readonly number[]): string =>
  numbers.map((number, i) => (number - (numbers[i - 1] ?? 0)).toString(36)).join(',')
