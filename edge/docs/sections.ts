/** The order in which documents are offered; a test holds that each has its place. */

export type Section = {
  title: string
  /** By their names (`nameOf`), or all of a folder: `how-to/*`. */
  names: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  { title: 'First steps', names: ['start', 'by-hand', 'triggers', 'actions', 'accounts'] },
  {
    title: 'How to',
    names: [
      'how-to/prepare',
      'how-to/*',
      'chain-events',
      'credits',
      'derived-actions',
      'chain-secured',
    ],
  },
  {
    title: 'Reference',
    names: ['api', 'core-api', 'errors', 'configuration', 'cli', 'client', 'receipts', 'contracts'],
  },
  { title: 'Operating', names: ['deploy', 'operate', 'backup', 'storage'] },
  {
    title: 'Why it is so',
    names: ['architecture', 'security', 'reliability', 'attestation', 'decisions'],
  },
]

/** Pages of one document that stand in its text, and not in the list. */
export const PARTS = ['api/*', 'core-api/*', 'decisions/*']

export const isNamedBy = (pattern: string, name: string) =>
  pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** The names that a section offers, in its order: one that stands before its folder comes first, and once. */
export const namesOf = ({ names }: Section, all: readonly string[]): string[] => [
  ...new Set(names.flatMap((pattern) => all.filter((name) => isNamedBy(pattern, name)))),
]
