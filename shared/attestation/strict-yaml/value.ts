import { check } from '../check-failed.ts'

/** A YAML node. An alias refers to the same node object as its anchor, so one node can have several parents. */
export type YamlNode = YamlScalar | YamlBlockScalar | YamlList | YamlMapping | YamlEmpty

/** A plain or quoted scalar, whose YAML type is not resolved. */
type YamlScalar = { kind: 'word'; text: string }
/** A block scalar (`|` or `>`) without its text, which no rule reads. */
type YamlBlockScalar = { kind: 'text block' }
type YamlEmpty = { kind: 'empty' }
type YamlList = { kind: 'list'; items: YamlNode[] }
export type YamlMapping = {
  kind: 'mapping'
  entries: YamlEntry[]
  merged: YamlMapping[]
}
export type YamlEntry = { line: number; key: string; value: YamlNode }

type ValueContext = { line: number; alias: (name: string) => YamlNode }

const KEY = /^(?:([A-Za-z0-9_./][A-Za-z0-9_./@+-]*|<<)|(["'])([ -~]*?)\2) *:(?: +|$)/

/** Parses a mapping key of printable ASCII without escapes. Returns undefined if the text does not start with a key. */
export function parseKey(
  text: string,
): { key: string; isQuoted: boolean; rest: string } | undefined {
  const [whole, plain, quote, inner = ''] = KEY.exec(text) ?? []
  if (whole === undefined || /["'\\]/.test(inner)) return undefined
  return { key: plain ?? inner, isQuoted: quote !== undefined, rest: text.slice(whole.length) }
}

/**
 * Header of a block scalar. Indentation indicators are not allowed: the first line of the text determines the
 * indentation.
 */
const BLOCK_HEADER = /[|>][+-]?/y
const EMPTY_MAPPING = /\{ *\}/y
const ALIAS = /\*([\w-]+)/y
const DOUBLE_QUOTED = /"([^"\\]*(?:\\["\\nt][^"\\]*)*)"/y
const SINGLE_QUOTED = /'([^']*(?:''[^']*)*)'/y
const ESCAPED: Record<string, string> = { '"': '"', '\\': '\\', n: '\n', t: '\t' }
/**
 * A word in a bracketed list. The pattern is narrower than YAML, because parsers differ on "?" and on a colon before a
 * comma.
 */
const LIST_WORD = /(?:[A-Za-z0-9_./$]|-(?! ))[^[\]{}"'#,?]*/y
/** Indicators that, at the start of a text, some version of YAML does not parse as a plain scalar. */
const NOT_PLAIN = /^(?:-(?: |$)|[?:,[\]{}#&*!|>'"%@`])/
const PAIR = /:(?: |$)/
/** The rest of a line after a value: only spaces, or a comment with a space before it. */
const NOTHING_MORE = /^(?: +#.*| *)$/

const QUOTES_REFUSED =
  'has quotes that do not end on the same line, or an escape other than \\" \\\\ \\n \\t'
const LIST_REFUSED = 'has a list that is not plain: write each item on its own line, after "- "'

/**
 * @param text from the first character of the value to the end of the line
 * @throws {CheckFailedError} if the value is not in the supported subset of YAML
 */
export function parseLineValue(text: string, { line, alias }: ValueContext): YamlNode {
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    at += found?.[0].length ?? 0
    return found ?? undefined
  }
  const skipSpaces = () => {
    while (text[at] === ' ') at++
  }

  const item = (): YamlNode | undefined => {
    const name = take(ALIAS)?.[1]
    if (name !== undefined) return alias(name)
    if (text[at] !== '"' && text[at] !== "'") return undefined
    const isDouble = text[at] === '"'
    const inner = take(isDouble ? DOUBLE_QUOTED : SINGLE_QUOTED)?.[1]
    checkLine(line, inner !== undefined, QUOTES_REFUSED)
    return word(
      isDouble
        ? inner.replace(/\\(.)/g, (_, character: string) => ESCAPED[character]!)
        : inner.replaceAll("''", "'"),
    )
  }

  // Parses item by item, because a single regular expression for the whole list could take exponential time.
  const list = (): YamlNode => {
    const items: YamlNode[] = []
    at++
    skipSpaces()
    while (text[at] !== ']') {
      if (items.length > 0) {
        checkLine(line, text[at] === ',', LIST_REFUSED)
        at++
        skipSpaces()
      }
      const found = item() ?? listWord()
      checkLine(line, found !== undefined, LIST_REFUSED)
      items.push(found)
      skipSpaces()
    }
    at++
    return { kind: 'list', items }
  }
  const listWord = (): YamlScalar | undefined => {
    const found = take(LIST_WORD)?.[0]
    return found === undefined || PAIR.test(found) ? undefined : word(withoutEndSpaces(found))
  }

  const plain = (): YamlScalar => {
    const [first] = text
    checkLine(line, !NOT_PLAIN.test(text), `has a value that begins with ${first}: quote it`)
    const comment = text.indexOf(' #')
    const found = withoutEndSpaces(comment === -1 ? text : text.slice(0, comment))
    checkLine(line, !PAIR.test(found), 'has a value with a colon and a space in it: quote it')
    at = found.length
    return word(found)
  }

  const value = (): YamlNode => {
    if (text === '' || text.startsWith('#')) {
      at = text.length
      return { kind: 'empty' }
    }
    if (take(BLOCK_HEADER)) return { kind: 'text block' }
    if (take(EMPTY_MAPPING)) return { kind: 'mapping', entries: [], merged: [] }
    return item() ?? (text.startsWith('[') ? list() : plain())
  }
  const found = value()
  checkLine(line, NOTHING_MORE.test(text.slice(at)), 'has text after the end of a value')
  return found
}

function word(text: string): YamlScalar {
  return { kind: 'word', text }
}

/** Removes trailing spaces. Unlike `trimEnd`, preserves other whitespace, which is part of the YAML value. */
function withoutEndSpaces(text: string): string {
  let end = text.length
  while (text[end - 1] === ' ') end--
  return text.slice(0, end)
}

export function checkLine(line: number, holds: boolean, otherwise: string): asserts holds {
  check(holds, holds ? '' : `line ${line} of docker_compose_file ${otherwise}`)
}
