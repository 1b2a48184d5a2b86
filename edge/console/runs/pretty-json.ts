/** JSON for people, of a length that has an end: what a sender nested 500 deep would be a gigabyte of indentation. */

export type Shown = {
  text: string
  /** More of it is there. */
  isCut: boolean
}

/** Characters of one text that a page shows; the API has all of it. */
export const SHOWN_CHARACTERS = 32 * 1024

/** Over lines, each level indented by two spaces until it is cut. */
export function prettyJson(value: unknown, max: number = SHOWN_CHARACTERS): Shown {
  const writer = new Writer(max)
  writer.value(value, '\n')
  return { text: writer.text, isCut: writer.isFull }
}

/** Characters that a browser makes and keeps of one answer without a stutter. */
const INDENTED_CHARACTERS = 4 * 1024 * 1024

/** All of it: over lines, or on one where that would be indentation for the most part. */
export function wholeJson(value: unknown): string {
  const { text, isCut } = prettyJson(value, INDENTED_CHARACTERS)
  return isCut ? JSON.stringify(value) : text
}

/** A text up to its end or this length. */
export function cutText(text: string, max: number = SHOWN_CHARACTERS): Shown {
  return { text: text.slice(0, max), isCut: text.length > max }
}

class Writer {
  text = ''
  readonly #max: number

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.text.length >= this.#max
  }

  /** @param line the line end, with the indentation of the value */
  value(value: unknown, line: string): void {
    if (typeof value !== 'object' || value === null) return this.#add(written(value, this.#max))
    const isArray = Array.isArray(value)
    const [open, close] = isArray ? ['[', ']'] : ['{', '}']
    const inner = `${line}  `
    let isFirst = true
    this.#add(open)
    for (const [name, member] of Object.entries(value)) {
      if (this.isFull) return
      this.#add(isFirst ? inner : `,${inner}`)
      if (!isArray) this.#add(`${written(name, this.#max)}: `)
      this.value(member, inner)
      isFirst = false
    }
    this.#add(isFirst ? close : line + close)
  }

  #add(text: string): void {
    this.text += text.slice(0, Math.max(0, this.#max - this.text.length))
  }
}

/** No more of a long string is escaped than is shown. */
function written(value: unknown, max: number): string {
  if (typeof value === 'string' && value.length > max) return JSON.stringify(value.slice(0, max))
  return JSON.stringify(value) ?? 'null'
}
