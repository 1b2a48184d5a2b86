/**
 * Whether what a block printed has the shape that the page shows. Numbers, hashes, keys, signatures and times differ from one
 * run to the next; words, names and order do not. `…` in a page stands for anything.
 */

/** @returns how they differ, or `undefined` */
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

/** Bytes as hex; a token of three parts; a key; an identifier of content. Each from its start: a token may have `0x` within it. */
const HEX = '0x[0-9a-fA-F]*…?[0-9a-fA-F]*(?![\\w-])'
const TOKEN = '\\beyJ[\\w.-]*…?|[\\w-]{32,}|\\bQm\\w+…?\\w*'

/** What differs from one run to the next, in a word. */
const shapeOf = (text: string) =>
  text
    .trim()
    .replaceAll(new RegExp(`(${HEX})|${TOKEN}`, 'g'), (_, hex) => (hex ? '<hex>' : '<token>'))
    .replaceAll(/\d+(\.\d+)?/g, '<n>')
    .replaceAll(/[ \t]+/g, ' ')
