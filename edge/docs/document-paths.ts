const START = 'README.md'

/** Maps `docs/how-to/verify.md` to `how-to/verify`, and the README to `start`. */
export function documentName(file: string): string {
  return file === START ? 'start' : file.replace(/^docs\//, '').replace(/\.md$/, '')
}

export const DECISIONS = 'decisions'

export const docsPath = (name: string) => `/docs/${name}`
