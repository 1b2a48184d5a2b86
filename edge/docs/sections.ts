type Section = {
  title: string
  /** Document names as returned by `documentName`, or patterns for folders, such as `how-to/*`. */
  names: readonly string[]
}

export const SECTIONS: readonly Section[] = [
  {
    title: 'First steps',
    names: [
      'start',
      'by-hand',
      'triggers',
      'action-library',
      'failed-runs',
      'webhook-sources',
      'actions',
      'typescript',
      'testing',
      'accounts',
    ],
  },
  {
    title: 'How to',
    names: [
      'how-to/prepare',
      'examples',
      'how-to/*',
      'chain-events',
      'alerts',
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
      'remote-mcp',
      'projects',
      'client',
      'receipts',
      'audit-log',
      'transactions',
      'policies',
      'contracts',
      'glossary',
    ],
  },
  { title: 'Operating', names: ['deploy', 'operate', 'scale', 'backup', 'storage'] },
  {
    title: 'Design',
    names: ['architecture', 'security', 'security-edge', 'reliability', 'attestation', 'decisions'],
  },
]

/** Pages that only other documents link to. They are not listed in the table of contents. */
export const UNLISTED_PATTERNS = ['api/*', 'core-api/*', 'decisions/*']

export const matchesPattern = (pattern: string, name: string) =>
  pattern.endsWith('/*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** A document that is listed by name precedes the other documents of its folder. */
export const namesInSection = ({ names }: Section, all: readonly string[]): string[] => [
  ...new Set(names.flatMap((pattern) => all.filter((name) => matchesPattern(pattern, name)))),
]
