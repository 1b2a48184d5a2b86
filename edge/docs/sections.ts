/** A test checks that each document belongs to a section. */
type Section = {
  title: string
  /** `documentName` of documents, or a pattern for a folder such as `how-to/*`. */
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
    names: [
      'api',
      'core-api',
      'errors',
      'configuration',
      'cli',
      'client',
      'receipts',
      'contracts',
      'glossary',
    ],
  },
  { title: 'Operating', names: ['deploy', 'operate', 'backup', 'storage'] },
  {
    title: 'Design',
    names: ['architecture', 'security', 'reliability', 'attestation', 'decisions'],
  },
]

/** Pages that are linked from the text of other documents, and not listed. */
export const UNLISTED_PATTERNS = ['api/*', 'core-api/*', 'decisions/*']

export const matchesPattern = (pattern: string, name: string) =>
  pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** Without duplicates. A name listed before the pattern of its folder comes first. */
export const namesInSection = ({ names }: Section, all: readonly string[]): string[] => [
  ...new Set(names.flatMap((pattern) => all.filter((name) => matchesPattern(pattern, name)))),
]
