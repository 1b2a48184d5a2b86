/** Objects and lists that would exceed this length are broken into several lines. */
const LINE_CHARACTERS = 88

/** Formats JSON for editing. Keeps short objects and lists on one line. */
export function formatDocument(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  if (entries.length === 0) return open + close
  const inner = `${indent}  `
  const parts = entries.map(([name, member]) => {
    const label = Array.isArray(value) ? '' : `${JSON.stringify(name)}: `
    return label + formatDocument(member, inner)
  })
  const padding = Array.isArray(value) ? '' : ' '
  const line = `${open}${padding}${parts.join(', ')}${padding}${close}`
  const fits = indent.length + line.length <= LINE_CHARACTERS && !line.includes('\n')
  // Each member of the document itself starts a new line.
  if (fits && indent !== '') return line
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}
