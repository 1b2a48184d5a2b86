/** URLs of the documentation pages. */

const START = 'README.md'

/**
 * Returns the name of a document in its URL. Maps `docs/how-to/verify.md` to `how-to/verify`, and the README to
 * `start`.
 */
export function nameOf(file: string): string {
  return file === START ? 'start' : file.replace(/^docs\//, '').replace(/\.md$/, '')
}

export const DECISIONS = 'decisions'

export const docsPath = (name: string) => `/docs/${name}`
