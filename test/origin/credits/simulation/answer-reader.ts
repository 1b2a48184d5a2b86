import { DatabaseError } from 'pg'

/** Result of one statement, with values as text. */
export type Rows = {
  rows: (string | null)[][]
  /** Object IDs of the column types. */
  types: number[]
  names: string[]
  command: string
  count: number
}

/** Results of the statements in a query string, up to the first failed statement. */
export type Answer = { results: Rows[]; error: DatabaseError | undefined }

const HEADER_BYTES = 5

/**
 * Reads the response to a simple query.
 * @see https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class AnswerReader {
  readonly answer: Answer = { results: [], error: undefined }
  isComplete = false
  #unread = Buffer.alloc(0)
  #current = noRows('')

  add(chunk: Buffer): void {
    const bytes = this.#unread.length > 0 ? Buffer.concat([this.#unread, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= HEADER_BYTES) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (end > bytes.length) break
      this.#read(String.fromCharCode(bytes[at]!), bytes.subarray(at + HEADER_BYTES, end))
      at = end
    }
    // Copied, because the next read overwrites the chunk.
    this.#unread = Buffer.from(bytes.subarray(at))
  }

  #read(type: string, body: Buffer): void {
    if (type === 'T') Object.assign(this.#current, columns(body))
    else if (type === 'D') this.#current.rows.push(values(body))
    else if (type === 'C') {
      const [command = '', ...counts] = body.toString('utf8', 0, body.length - 1).split(' ')
      this.answer.results.push({
        ...this.#current,
        command,
        count: Number(counts.at(-1)) || 0,
      })
      this.#current = noRows('')
    } else if (type === 'E') this.answer.error = errorOf(body)
    else if (type === 'Z') this.isComplete = true
    // Notices and changed settings are ignored.
  }
}

export const noRows = (command: string): Rows => ({
  rows: [],
  types: [],
  names: [],
  command,
  count: 0,
})

function columns(body: Buffer): Pick<Rows, 'names' | 'types'> {
  const names: string[] = []
  const types: number[] = []
  let at = 2
  for (let left = body.readInt16BE(0); left > 0; left--) {
    const end = body.indexOf(0, at)
    names.push(body.toString('utf8', at, end))
    // Before the type are 6 bytes for table and column, and after it 8 bytes for size, modifier and format.
    types.push(body.readInt32BE(end + 7))
    at = end + 19
  }
  return { names, types }
}

function values(body: Buffer): (string | null)[] {
  const found: (string | null)[] = []
  let at = 2
  for (let left = body.readInt16BE(0); left > 0; left--) {
    const length = body.readInt32BE(at)
    at += 4
    if (length < 0) found.push(null)
    else found.push(body.toString('utf8', at, (at += length)))
  }
  return found
}

/** Parses fields of one letter and a text, each terminated by a zero byte. */
function errorOf(body: Buffer): DatabaseError {
  const fields = new Map(
    body
      .toString('utf8')
      .split('\0')
      .map((field) => [field.slice(0, 1), field.slice(1)]),
  )
  const error = new DatabaseError(fields.get('M') ?? '', body.length, 'error')
  return Object.assign(error, { code: fields.get('C') })
}
