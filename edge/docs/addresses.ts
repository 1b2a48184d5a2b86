/** Which address a document is served at. */

const START = 'README.md'

/** `docs/how-to/verify.md` is `how-to/verify`, and the README is where one starts. */
export function nameOf(file: string): string {
  return file === START ? 'start' : file.replace(/^docs\//, '').replace(/\.md$/, '')
}

export const DECISIONS = 'decisions'

export const docsPath = (name: string) => `/docs/${name}`
