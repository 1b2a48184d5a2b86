/**
 * Compares output with the sample on a page. Numbers, hashes, keys, signatures and times may differ; words, names and
 * order must match. `…` in a sample matches anything.
 */

/** @returns a description of the difference, or `undefined` if there is none */
export function misshapen(shown: string, printed: string): string | undefined {
  const [expected, actual] = [jsonIn(shown), jsonIn(printed)]
  if (expected !== undefined && actual !== undefined)
    return difference(expected.value, actual.value, 'the output')
  const pattern = shapeOf(shown)
    .split('…')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*?')
  return new RegExp(`^${pattern}$`, 's').test(shapeOf(printed))
    ? undefined
    : `printed\n${shapeOf(printed)}\nand the page shows\n${shapeOf(shown)}`
}

function jsonIn(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function difference(expected: unknown, actual: unknown, at: string): string | undefined {
  if (typeof expected === 'string' && typeof actual === 'string')
    return misshapenText(expected, actual, at)
  if (typeof expected !== typeof actual || Array.isArray(expected) !== Array.isArray(actual))
    return `${at} is ${JSON.stringify(actual)}, and the page shows ${JSON.stringify(expected)}`
  if (typeof expected !== 'object' || expected === null || actual === null)
    return typeof expected === 'number' || expected === actual
      ? undefined
      : `${at} is ${JSON.stringify(actual)}, and the page shows ${JSON.stringify(expected)}`
  const names = new Set([...Object.keys(expected), ...Object.keys(actual as object)])
  for (const name of names) {
    const [one, other] = [Reflect.get(expected, name), Reflect.get(actual as object, name)]
    const found = difference(one, other, `${at}.${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

function misshapenText(expected: string, actual: string, at: string): string | undefined {
  if (/^\{|^\[/.test(expected)) return undefined
  const found = misshapen(expected, actual)
  return found === undefined ? undefined : `${at}: ${found}`
}

// Hex bytes, three-part tokens, keys, CIDs and IDs of transactions. Matches at the start of a token only, because a token may contain `0x`.
const HEX = '0x[0-9a-fA-F]*…?[0-9a-fA-F]*(?![\\w-])'
const TOKEN = '\\beyJ[\\w.-]*…?|[\\w-]{32,}|\\bQm\\w+…?\\w*|\\btx_…'

/** Replaces text that varies between runs with placeholders. */
const shapeOf = (text: string) =>
  text
    .trim()
    .replaceAll(new RegExp(`(${HEX})|${TOKEN}`, 'g'), (_, hex) => (hex ? '<hex>' : '<token>'))
    .replaceAll(/\d+(\.\d+)?/g, '<n>')
    .replaceAll(/[ \t]+/g, ' ')
