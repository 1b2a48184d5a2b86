import { TextDecoder } from 'node:util'
import type { HostFunctions } from './host-function.ts'
import { hostFunction } from './host-function.ts'

/**
 * Encodings that Node supports, but with characters that the end of a piece may split, which the prelude cannot detect.
 */
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

/**
 * TextEncoder, TextDecoder, atob and btoa for the prelude, one piece at a time (Encoding standard; Infra,
 * forgiving-base64).
 */
export const textFunctions: HostFunctions = {
  encodeText: hostFunction(['text'], 'bytes', (text) => encoder.encode(text)),
  encodeJson: hostFunction(['json'], 'bytes', (text) => encoder.encode(asText(text))),

  /** Returns the number of UTF-16 units that were read (four bytes, little-endian), then the encoded bytes. */
  encodeTextInto: hostFunction(['json', 'number'], 'bytes', (given, room) => {
    const text = asText(given)
    // A UTF-16 unit takes at most three bytes.
    const target = Buffer.alloc(4 + Math.min(Math.max(0, room), 3 * text.length))
    const { read, written } = encoder.encodeInto(text, target.subarray(4))
    target.writeUInt32LE(read)
    return target.subarray(0, 4 + written)
  }),

  /** Returns the standard's name for a label, or '' if the encoding is not supported. */
  encodingName: hostFunction(['json'], 'text', (label) => {
    try {
      const { encoding } = new TextDecoder(asText(label))
      return MULTI_BYTE.has(encoding) ? '' : encoding
    } catch {
      return ''
    }
  }),

  /**
   * Returns the text or its JSON (`crossing`), or '' if `fatal` is set and the bytes are invalid. The encoding 'binary'
   * maps each byte to one character.
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

  /** Returns '' if the text has characters outside Latin-1. The prelude never passes an empty text. */
  btoa: hostFunction(['json'], 'text', (text) => {
    try {
      return btoa(asText(text))
    } catch {
      return ''
    }
  }),

  /** Returns a byte 1 and the decoded bytes, or a single byte 0 if the text is not base64. */
  atob: hostFunction(['json'], 'bytes', (text) => {
    try {
      return Buffer.from(`\u0001${atob(asText(text))}`, 'latin1')
    } catch {
      return Buffer.alloc(1)
    }
  }),
}

/** A JSON argument may have any type. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Returns most texts unchanged. Returns JSON for an empty text, for a text with NUL, and for a text that could be
 * mistaken for JSON.
 */
function crossing(text: string): string {
  return text === '' || text.startsWith('"') || text.includes('\0') ? JSON.stringify(text) : text
}

/** Caches one decoder per kind. Without `stream`, a decoder keeps no state between calls. */
function decoder(encoding: string, fatal: boolean, ignoreBOM: boolean): TextDecoder {
  const kind = `${encoding} ${fatal} ${ignoreBOM}`
  let found = decoders.get(kind)
  if (found === undefined) {
    found = new TextDecoder(encoding, { fatal, ignoreBOM })
    decoders.set(kind, found)
  }
  return found
}
