/**
 * The keys of a compose file. A reader of all of YAML would have to read it as the container engine does, to the last
 * quirk: this one takes the part of it that such files are written in, where each line stands for itself, and refuses
 * the rest.
 */
import { check } from './check-failed.ts'

export type ComposeKey = { line: number; key: string; value: string }

/** More kinds of line ends and of white space than readers agree on. */
// oxlint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/
const BLOCK_SCALAR = /^[|>][1-9+-]{0,2}$/
/** `&name` before a value: what it marks is in the text itself. */
const ANCHOR = /^&[\w-]+(?:\s+|$)/

/** @throws {CheckFailed} with the line that is written in another way */
export function* composeKeys(text: string): Generator<ComposeKey> {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  /** A block scalar lasts while lines are indented by more than its key. */
  let scalarOf: number | undefined
  for (const [index, raw] of lines.entries()) {
    const line = index + 1
    const refuse = (why: string) => `line ${line} of docker_compose_file ${why}`
    check(!UNUSUAL.test(raw), refuse('has a character that is not text'))
    const indent = /^ */.exec(raw)![0].length
    if (indent === raw.length || (scalarOf !== undefined && indent > scalarOf)) continue
    scalarOf = undefined
    if (raw[indent] === '#') continue
    check(!raw.includes('\t'), refuse('has a tab'))
    check(!/^(?:%|---|\.\.\.)/.test(raw), refuse('is a directive, or parts documents'))
    const dashes = /^(?:- +)*/.exec(raw.slice(indent))![0].length
    const item = withoutComment(raw.slice(indent + dashes).replace(ANCHOR, ''), refuse)
    const entry = keyOf(item, refuse)
    const value = (entry ? entry.value : item).replace(ANCHOR, '')
    checkValue(value, refuse)
    const column = indent + dashes
    if (BLOCK_SCALAR.test(value)) scalarOf = entry || dashes === 0 ? column : column - 2
    if (entry) yield { line, key: entry.key, value: unquoted(value) }
  }
}

type Refuse = (why: string) => string

/** A `#` after a space and outside of quotes begins one. */
function withoutComment(text: string, refuse: Refuse): string {
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (quote !== undefined) {
      if (character === '\\' && quote === '"') at++
      else if (character === quote) quote = undefined
    } else if ((character === '"' || character === "'") && opensQuotes(text, at)) quote = character
    else if (character === '#' && (at === 0 || text[at - 1] === ' '))
      return text.slice(0, at).trimEnd()
  }
  check(quote === undefined, refuse('has quotes that do not end on it'))
  return text.trimEnd()
}

/** Within a word they are characters like others. */
function opensQuotes(text: string, at: number): boolean {
  return at === 0 || /[ [,{:]/.test(text[at - 1]!)
}

/** A key without escapes or indirection: what is not one is a value, and has to look like one. */
function keyOf(item: string, refuse: Refuse): { key: string; value: string } | undefined {
  check(!/^\?(?: |$)/.test(item), refuse('has a key that is marked with "?"'))
  const inQuotes = /^(["'])([^"'\\]*)\1 *:(?: (.*))?$/.exec(item)
  if (inQuotes) return { key: inQuotes[2]!, value: (inQuotes[3] ?? '').trim() }
  if (/^["'[{|>*!&]/.test(item)) return undefined
  const colon = /:(?: |$)/.exec(item)
  if (!colon) return undefined
  return { key: item.slice(0, colon.index).trimEnd(), value: item.slice(colon.index + 1).trim() }
}

const IN_QUOTES = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'`
const QUOTED = new RegExp(`^(?:${IN_QUOTES})$`)
/**
 * Words and texts in quotes, with commas between them, each read in one way: a pair in it would be a mapping, which
 * `<<` puts into a service. Sticky and item by item: one pattern for all would be tried in exponentially many ways.
 */
const LIST_ITEM = new RegExp(String.raw`(?: *(?:${IN_QUOTES}) *|[^[\]{}"',]*)(?=[,\]])`, 'y')
/** As YAML's flow lists have them: a colon before a space or an end, and a question mark before a space. */
const PAIR = /:(?: |$)|^\?(?: |$)/

function isPlainList(value: string): boolean {
  for (let at = 1; ;) {
    LIST_ITEM.lastIndex = at
    const item = LIST_ITEM.exec(value)?.[0]
    if (item === undefined) return false
    const word = item.trim()
    if (!/^["']/.test(word) && PAIR.test(word)) return false
    at += item.length + 1
    if (value[at - 1] === ']') return at === value.length
  }
}

function checkValue(value: string, refuse: Refuse): void {
  check(!/^[!@`%]/.test(value), refuse('has a tag'))
  check(!value.startsWith('&'), refuse('has an anchor that is not plain'))
  // As a key it would be whatever it stands for.
  if (value.startsWith('*'))
    check(/^\*[\w-]+$/.test(value), refuse('has an alias that is not plain'))
  if (value.startsWith('{')) check(/^\{ *\}$/.test(value), refuse('has a mapping in braces'))
  if (value.startsWith('[')) check(isPlainList(value), refuse('has a list that is not plain'))
  if (/^["']/.test(value)) check(QUOTED.test(value), refuse('has quotes and something behind them'))
}

function unquoted(value: string): string {
  return /^["']/.test(value) ? value.slice(1, -1) : value
}
