/**
 * Parses a strict subset of YAML that all YAML parsers interpret in the same way (docs/decisions/0075): block mappings
 * and lists, one-line scalars, plain lists in brackets, block scalars, anchors on values, and merge keys.
 */
import { check } from '../check-failed.ts'
import { type YamlMapping, type YamlNode, checkLine, parseKey, parseLineValue } from './value.ts'

/**
 * Characters that are not allowed: control characters except tab, line endings other than LF and CRLF, and byte order
 * marks.
 */
// oxlint-disable-next-line no-control-regex
const UNUSUAL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/
const ANCHOR = /^&([\w-]+)(?: +|$)/
const MERGE = '<<'
/** Compose files have at most 6 levels. */
const DEPTH_MAX = 32

/** Parses a document. @throws {CheckFailedError} with the line number, and the syntax to use instead */
export function parseStrictYaml(text: string): YamlMapping {
  return new Parser(text).document()
}

type Line = { number: number; column: number; text: string }

class Parser {
  readonly #lines: string[]
  readonly #anchors = new Map<string, YamlNode>()
  #at = 0

  constructor(text: string) {
    this.#lines = text.replaceAll('\r\n', '\n').split('\n')
    for (const [index, line] of this.#lines.entries())
      checkLine(
        index + 1,
        !UNUSUAL.test(line) && line.isWellFormed(),
        'has a control character or an unusual line end: remove it',
      )
  }

  document(): YamlMapping {
    if (this.#lines[0] === '---') this.#at++
    const first = this.#peek()
    check(first !== undefined, 'docker_compose_file is empty')
    checkLine(first.number, first.column === 0, 'is indented without a line above it')
    checkLine(first.number, parseKey(first.text) !== undefined, 'is not "key: value"')
    return this.#mapping(0, 0)
  }

  /** Skips blank lines and comments. Undefined at the end of the document. */
  #peek(): Line | undefined {
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!
      const column = indentationOf(line)
      const text = line.slice(column)
      if (text === '' || text.startsWith('#')) continue
      const number = this.#at + 1
      checkLine(number, !text.includes('\t'), 'has a tab: use spaces')
      checkLine(
        number,
        column > 0 || !/^(?:%|---|\.\.\.)/.test(text),
        'is a directive or begins another document: only one document is read',
      )
      return { number, column, text }
    }
    return undefined
  }

  #mapping(column: number, depth: number): YamlMapping {
    const mapping: YamlMapping = { kind: 'mapping', entries: [], merged: [] }
    const keys = new Set<string>()
    for (let line = this.#peek(); line && line.column >= column; line = this.#peek()) {
      const { number } = line
      checkLine(number, line.column === column, 'is not indented like the lines above it')
      const found = parseKey(line.text)
      checkLine(number, found !== undefined, 'is not "key: value" with a plain key')
      checkLine(number, !keys.has(found.key), `repeats the key "${found.key}": write it once`)
      keys.add(found.key)
      const value = this.#value(line, found.rest, { column, depth, isItem: false })
      if (found.key !== MERGE) mapping.entries.push({ line: number, key: found.key, value })
      else {
        checkLine(number, !found.isQuoted, 'has quotes around <<')
        mapping.merged = mergedMappings(value, number)
      }
    }
    return mapping
  }

  #list(column: number, depth: number): YamlNode {
    const items: YamlNode[] = []
    for (let line = this.#peek(); line && line.column >= column; line = this.#peek()) {
      const dash = /^- +/.exec(line.text)?.[0]
      // A list may have the same indentation as its key. The next key then ends the list.
      if (line.column === column && dash === undefined && parseKey(line.text)) break
      checkLine(line.number, line.column === column, 'is not indented like the lines above it')
      checkLine(line.number, dash !== undefined, 'is not "- item", with the item on the same line')
      const rest = line.text.slice(dash.length)
      if (parseKey(rest)) {
        // The text after the dash is the first line of the item's mapping. The mapping's other keys start in the same
        // column.
        const inner = column + dash.length
        this.#lines[this.#at] = ' '.repeat(inner) + rest
        items.push(this.#nested(() => this.#mapping(inner, depth + 1), line.number, depth))
      } else items.push(this.#value(line, rest, { column, depth, isItem: true }))
    }
    return { kind: 'list', items }
  }

  #value(
    { number }: Line,
    text: string,
    { column, depth, isItem }: { column: number; depth: number; isItem: boolean },
  ): YamlNode {
    const [marked, name] = ANCHOR.exec(text) ?? []
    this.#at++
    const place = { line: number, alias: (named: string) => this.#resolveAlias(named, number) }
    const rest = text.slice(marked?.length ?? 0)
    const isAlias = rest.startsWith('*')
    checkLine(number, !(marked && isAlias), 'has an anchor on an alias')
    let value = parseLineValue(rest, place)
    // The lines below an alias do not belong to the alias, whatever kind of node it refers to.
    if (!isAlias && value.kind === 'text block') this.#skipBlockScalar(number, column)
    if (!isAlias && value.kind === 'empty') {
      checkLine(number, !isItem, 'has a list item without a value on the same line')
      value = this.#nestedBlock(column, depth) ?? value
    }
    if (name !== undefined) {
      checkLine(number, !this.#anchors.has(name), `repeats the anchor &${name}: use another name`)
      this.#anchors.set(name, value)
    }
    return value
  }

  #nestedBlock(column: number, depth: number): YamlNode | undefined {
    const next = this.#peek()
    if (next === undefined || next.column < column) return undefined
    const isList = /^-(?: |$)/.test(next.text)
    if (next.column === column && !isList) return undefined
    checkLine(
      next.number,
      isList || parseKey(next.text) !== undefined,
      'is neither "key: value" nor "- item": write a value on the line of its key',
    )
    const block = () =>
      isList ? this.#list(next.column, depth + 1) : this.#mapping(next.column, depth + 1)
    return this.#nested(block, next.number, depth)
  }

  #nested<Block>(read: () => Block, line: number, depth: number): Block {
    checkLine(line, depth < DEPTH_MAX, `is nested more than ${DEPTH_MAX} levels deep`)
    return read()
  }

  /** Skips a block scalar: blank lines, and lines that are indented at least as far as the scalar's first line. */
  #skipBlockScalar(header: number, parent: number): void {
    let start = this.#at
    while (/^ *$/.test(this.#lines[start] ?? 'end')) start++
    const first = this.#lines[start] ?? ''
    const column = indentationOf(first)
    checkLine(header, column > parent, 'begins an empty block of text')
    checkLine(start + 1, first[column] !== '\t', 'has a tab: use spaces')
    for (; this.#at < this.#lines.length; this.#at++) {
      const line = this.#lines[this.#at]!
      const indentation = indentationOf(line)
      const isBlank = indentation === line.length
      // Blank lines must not be longer than the text's indentation, because some parsers derive the indentation from
      // such lines.
      checkLine(
        this.#at + 1,
        this.#at >= start || indentation <= column,
        'is blank and longer than the indentation of the text below it: remove its spaces',
      )
      if (!isBlank && indentation < column) break
    }
  }

  #resolveAlias(name: string, line: number): YamlNode {
    const node = this.#anchors.get(name)
    checkLine(line, node !== undefined, `has the alias *${name}, but no &${name} ends above it`)
    return node
  }
}

function indentationOf(line: string): number {
  return /^ */.exec(line)![0].length
}

function mergedMappings(value: YamlNode, line: number): YamlMapping[] {
  const merged = value.kind === 'list' ? value.items : [value]
  return merged.map((node) => {
    checkLine(line, node.kind === 'mapping', 'merges something other than a mapping')
    return node
  })
}
