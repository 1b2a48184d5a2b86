export type IndexedSection = {
  /** Path of the page, with the ID of the heading. */
  href: string
  /** Title of the document. */
  page: string
  /** Empty for the part before the first heading. */
  heading: string
}

export type SearchIndex = {
  sections: IndexedSection[]
  /** Lines `<word> <numbers of sections, as base-36 differences>`, sorted by word. */
  words: string
}

const WORD = /[a-z0-9][a-z0-9_]*[a-z0-9]/g

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? []
}
