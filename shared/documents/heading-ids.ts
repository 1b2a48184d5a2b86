/** Ids of headings, as GitHub makes them: one link to a heading works on both. */

/** @returns gives each heading of one document its id; a second of the same words gets a number */
export function headingIds(): (words: string) => string {
  const given = new Map<string, number>()
  return (words) => {
    const slug = slugOf(words)
    const before = given.get(slug) ?? 0
    given.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}

function slugOf(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
