const START = 'README.md'

/** Returns the name of a document: `how-to/verify` for `docs/how-to/verify.md`, and `start` for the README. */
export function documentName(file: string): string {
  return file === START ? 'start' : file.replace(/^docs\//, '').replace(/\.md$/, '')
}

export const DECISIONS = 'decisions'

export const docsPath = (name: string) => `/docs/${name}`
