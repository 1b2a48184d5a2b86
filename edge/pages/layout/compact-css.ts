/**
 * Removes the whitespace that CSS does not need, except within strings, and caches the result. Keeps the space before a
 * colon, which is a combinator in `.list :is(th, td)`.
 */
export function compactCss(css: string): string {
  let compact = cache.get(css)
  if (compact === undefined) {
    compact = css
      .replaceAll(/("[^"]*")|\s*([{}>])\s*|([;:,])\s+|\s+/g, (_, text, bracket, separator) =>
        String(text ?? bracket ?? separator ?? ' '),
      )
      .replaceAll(';}', '}')
      .trim()
    cache.set(css, compact)
  }
  return compact
}

/** Styles are constants, so the cache is bounded. */
const cache = new Map<string, string>()
