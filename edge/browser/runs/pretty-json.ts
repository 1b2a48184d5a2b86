/**
 * Formats JSON up to a maximum length. Without this limit, a value nested 500 levels deep could result in a gigabyte of
 * indentation.
 */

export type DisplayedText = {
  text: string
  isCut: boolean
}

/** Maximum number of displayed characters. The API returns the complete text. */
const DISPLAYED_CHARACTERS_MAX = 32 * 1024

export function prettyJson(value: unknown, max: number = DISPLAYED_CHARACTERS_MAX): DisplayedText {
  const writer = new BoundedJsonWriter(max)
  writer.value(value, '\n')
  return { text: writer.text, isCut: writer.isFull }
}

/** Maximum length of indented JSON, which browsers can process without a noticeable delay. */
const INDENTED_CHARACTERS_MAX = 4 * 1024 * 1024

export function indentedJson(value: unknown): string {
  const { text, isCut } = prettyJson(value, INDENTED_CHARACTERS_MAX)
  return isCut ? JSON.stringify(value) : text
}

export function truncateText(text: string, max: number = DISPLAYED_CHARACTERS_MAX): DisplayedText {
  return { text: text.slice(0, max), isCut: text.length > max }
}

class BoundedJsonWriter {
  text = ''
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.text.length >= this.#max
  }

  /** @param line line break, followed by the indentation of the value */
  value(value: unknown, line: string): void {
    if (typeof value !== 'object' || value === null) return this.#add(jsonText(value, this.#max))
    const isArray = Array.isArray(value)
    const [open, close] = isArray ? ['[', ']'] : ['{', '}']
    const inner = `${line}  `
    let isFirst = true
    this.#add(open)
    for (const [name, member] of Object.entries(value)) {
      if (this.isFull) return
      this.#add(isFirst ? inner : `,${inner}`)
      if (!isArray) this.#add(`${jsonText(name, this.#max)}: `)
      this.value(member, inner)
      isFirst = false
    }
    this.#add(isFirst ? close : line + close)
  }

  #add(text: string): void {
    this.text += text.slice(0, Math.max(0, this.#max - this.text.length))
  }
}

/** Escapes only the part of a long string that can be shown. */
function jsonText(value: unknown, max: number): string {
  if (typeof value === 'string' && value.length > max) return JSON.stringify(value.slice(0, max))
  return JSON.stringify(value) ?? 'null'
}
