/** Sections of the documentation, in order. A test checks that each document has a place. */

export type Section = {
  title: string
  /** Names of documents (`nameOf`), or a pattern for a folder: `how-to/*`. */
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

/** Pages that are reached through the text of another document, and are not listed. */
export const PARTS = ['api/*', 'core-api/*', 'decisions/*']

export const isNamedBy = (pattern: string, name: string) =>
  pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** Returns the names in a section, in order and without duplicates. A name given before its folder comes first. */
export const namesOf = ({ names }: Section, all: readonly string[]): string[] => [
  ...new Set(names.flatMap((pattern) => all.filter((name) => isNamedBy(pattern, name)))),
]
