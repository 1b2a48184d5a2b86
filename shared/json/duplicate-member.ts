/**
 * Returns the path of the first member whose name occurs twice in its object, for example `rules[2].to`. `JSON.parse`
 * silently uses the last of several members, but other parsers use the first (RFC 8259, section 4).
 * @param text valid JSON
 */
export function duplicateMember(text: string): string | undefined {
  const open: (Set<string> | number)[] = []
  const steps: string[] = []
  for (const [token, quoted, mark] of text.matchAll(TOKENS)) {
    const inner = open.at(-1)
    if (token === '{') open.push(new Set())
    else if (token === '[') steps[open.push(0) - 1] = '[0]'
    else if (token === '}' || token === ']') {
      open.pop()
      steps.length = open.length
    } else if (mark === ',' && typeof inner === 'number') {
      open[open.length - 1] = inner + 1
      steps[open.length - 1] = `[${inner + 1}]`
    } else if (quoted !== undefined && inner instanceof Set) {
      const name = String(JSON.parse(quoted))
      steps[open.length - 1] = steps.length === 0 || open.length === 1 ? name : `.${name}`
      if (inner.has(name)) return steps.join('')
      inner.add(name)
    }
  }
  return undefined
}

/** Strings are matched as a whole. A string before a colon is the name of a member, and has a group of its own. */
const TOKENS = /(?:("(?:[^"\\]|\\.)*")\s*:)|"(?:[^"\\]|\\.)*"|([{}[\],])/gs
