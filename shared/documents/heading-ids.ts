/** Generates heading IDs in GitHub's format, so that a link to a heading works on GitHub and on our pages. */

/** A repeated heading gets a numeric suffix. */
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
