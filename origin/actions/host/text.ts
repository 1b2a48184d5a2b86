import { TextDecoder } from 'node:util'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/** Node knows these, but a character of theirs may be cut by the end of a piece, which the prelude cannot tell. */
const MULTI_BYTE = new Set([
  'gbk',
  'gb18030',
  'big5',
  'euc-jp',
  'iso-2022-jp',
  'shift_jis',
  'euc-kr',
])

const encoder = new TextEncoder()
const decoders = new Map<string, TextDecoder>()

/** TextEncoder, TextDecoder, atob and btoa of the prelude, a piece at a time (Encoding standard; Infra, forgiving-base64). */
export const textFunctions: HostFunctions = {
  encodeText: hostFunction(['text'], 'bytes', (text) => encoder.encode(text)),
  encodeJson: hostFunction(['json'], 'bytes', (text) => encoder.encode(asText(text))),

  /** Four bytes that say how many UTF-16 units were read (little endian), then what was written. */
  encodeTextInto: hostFunction(['json', 'number'], 'bytes', (given, room) => {
    const text = asText(given)
    // Three bytes are the most that one unit takes.
    const target = Buffer.alloc(4 + Math.min(Math.max(0, room), 3 * text.length))
    const { read, written } = encoder.encodeInto(text, target.subarray(4))
    target.writeUInt32LE(read)
    return target.subarray(0, 4 + written)
  }),

  /** The standard's name for a label; '' for one that is not supported. */
  encodingName: hostFunction(['json'], 'text', (label) => {
    try {
      const { encoding } = new TextDecoder(asText(label))
      return MULTI_BYTE.has(encoding) ? '' : encoding
    } catch {
      return ''
    }
  }),

  /**
   * The text, or JSON of it (`crossing`); '' when `fatal` and the bytes are invalid. The encoding 'binary' is one
   * character for each byte.
   */
  decodeText: hostFunction(
    ['text', 'boolean', 'boolean', 'bytes'],
    'text',
    (encoding, fatal, keepBom, bytes) => {
      if (encoding === 'binary') {
        const { buffer, byteOffset, length } = bytes
        return crossing(Buffer.from(buffer, byteOffset, length).toString('latin1'))
      }
      try {
        return crossing(decoder(encoding, fatal, keepBom).decode(bytes))
      } catch {
        return ''
      }
    },
  ),

  /** '' when the text has characters outside Latin-1; the prelude passes no empty text. */
  btoa: hostFunction(['json'], 'text', (text) => {
    try {
      return btoa(asText(text))
    } catch {
      return ''
    }
  }),

  /** A byte that is 1, then the decoded bytes; or a byte that is 0 when it is not base64. */
  atob: hostFunction(['json'], 'bytes', (text) => {
    try {
      return Buffer.from(`\u0001${atob(asText(text))}`, 'latin1')
    } catch {
      return Buffer.alloc(1)
    }
  }),
}

/** What crosses as JSON may be anything. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Most texts cross as they are. As JSON: an empty one, one that a NUL would end, and one that looks like JSON. */
function crossing(text: string): string {
  return text === '' || text.startsWith('"') || text.includes('\0') ? JSON.stringify(text) : text
}

/** One for each kind: without `stream`, none keeps anything from one call to the next. */
function decoder(encoding: string, fatal: boolean, ignoreBOM: boolean): TextDecoder {
  const kind = `${encoding} ${fatal} ${ignoreBOM}`
  let found = decoders.get(kind)
  if (found === undefined) {
    found = new TextDecoder(encoding, { fatal, ignoreBOM })
    decoders.set(kind, found)
  }
  return found
}
