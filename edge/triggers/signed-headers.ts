import { ruleFor } from './header-rules.ts'

/** Maximum length of a list of signed headers. No known sender uses a longer list. */
const LIST_MAX_CHARACTERS = 8 * 1024

/**
 * Returns the headers that a signature declares as signed, in its own value or in a separate header (X-Hook0 v1,
 * Contentful, RFC 9421).
 * @param received headers with lower-case names
 * @returns lower-case names, or `undefined` if no signature declares signed headers
 */
export function signedHeaderNames(received: readonly [string, string][]): Set<string> | undefined {
  let named: Set<string> | undefined
  for (const [name, value] of received) {
    if (!name.includes('sign') || value.length > LIST_MAX_CHARACTERS) continue
    // Ignores a signature that is not passed to the action, because the action could not verify it.
    if (ruleFor(name) !== 'allow') continue
    for (const header of namesIn(name, value)) (named ??= new Set()).add(header.toLowerCase())
  }
  return named
}

function namesIn(name: string, value: string): string[] {
  if (name.endsWith('signed-headers')) return value.split(/[,\s]+/)
  if (name === 'signature-input') return coveredComponents(value)
  if (!name.includes('signature') || !/\b(h|headers)=/.test(value)) return []
  const lists = value.matchAll(/(?:^|[,;\s])(?:h|headers)="?([^",;]+)"?/g)
  return [...lists].flatMap((found) => found[1]!.split(/\s+/))
}

/**
 * Returns the header names in a `Signature-Input` value, which are quoted strings within inner lists (RFC 9421, section
 * 4.1). Quoted parameters after a list are not header names.
 */
function coveredComponents(value: string): string[] {
  const lists = value.matchAll(/\(([^()]*)\)/g)
  const names = [...lists].flatMap(([, list]) => [...list!.matchAll(/"([a-z0-9-]+)"/g)])
  return names.map((found) => found[1]!)
}
