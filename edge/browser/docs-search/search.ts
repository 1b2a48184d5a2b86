import {
  type IndexedSection,
  type SearchIndex,
  wordsOf,
} from '../../../shared/documents/search-words.ts'

export type DocsSearch = (query: string, limit: number) => IndexedSection[]

/** A word in a heading, or in the title of the document, counts as much as several in the text. */
const HEADING_WEIGHT = 6
const TITLE_WEIGHT = 3

/** A word that starts with the entered one, but is longer. */
const PREFIX_WEIGHT = 0.5

/** Finds the sections that contain all words of a query, or words that start with them, the best first. */
export function searchIn({ sections, words }: SearchIndex): DocsSearch {
  const lines = words.split('\n').map((line) => {
    const [word = '', numbers = ''] = line.split(' ')
    return { word, numbers }
  })

  function weightsOf(entered: string): Map<number, number> {
    const weights = new Map<number, number>()
    for (const { word, numbers } of lines) {
      if (!word.startsWith(entered)) continue
      const found = sectionNumbers(numbers)
      const rarity = Math.log(1 + sections.length / found.length)
      const weight = rarity * (word === entered ? 1 : PREFIX_WEIGHT)
      for (const number of found) weights.set(number, Math.max(weights.get(number) ?? 0, weight))
    }
    for (const [number, { heading, page }] of sections.entries()) {
      const occursIn = (text: string) => wordsOf(text).some((word) => word.startsWith(entered))
      const extra = occursIn(heading) ? HEADING_WEIGHT : occursIn(page) ? TITLE_WEIGHT : 0
      if (extra > 0) weights.set(number, (weights.get(number) ?? 0) + extra)
    }
    return weights
  }

  return (query, limit) => {
    const [first, ...others] = wordsOf(query).map(weightsOf)
    if (!first) return []
    const scores = [...first].flatMap(([number, weight]) => {
      const all = others.map((weights) => weights.get(number))
      if (all.includes(undefined)) return []
      return [{ number, score: all.reduce<number>((sum, each) => sum + each!, weight) }]
    })
    return scores
      .toSorted((one, other) => other.score - one.score || one.number - other.number)
      .slice(0, limit)
      .map(({ number }) => sections[number]!)
  }
}

function sectionNumbers(differences: string): number[] {
  let last = 0
  return differences.split(',').map((text) => (last += Number.parseInt(text, 36)))
}
