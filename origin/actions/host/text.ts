import { TextDecoder } from 'node:util'
import { type HostFunctions, hostFunction } from './host-function.ts'

/**
 * Multi-byte encodings that are not offered, although Node supports them. Texts are decoded in pieces, and the prelude
 * cannot detect whether the end of a piece splits a character of such an encoding.
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
 * Implements TextEncoder, TextDecoder, atob and btoa (Encoding standard; Infra standard, forgiving-base64). The prelude
 * passes long inputs in pieces.
 */
export const textFunctions: HostFunctions = {
  encodeText: hostFunction(['text'], 'bytes', (text) => encoder.encode(text)),
  encodeJson: hostFunction(['json'], 'bytes', (text) => encoder.encode(asText(text))),

  /**
   * Encodes as much of a text as fits into `room` bytes. Returns the number of encoded UTF-16 units (four bytes,
   * little-endian), followed by the encoded bytes.
   */
  encodeTextInto: hostFunction(['json', 'number'], 'bytes', (given, room) => {
    const text = asText(given)
    // A UTF-16 unit takes at most three bytes in UTF-8.
    const target = Buffer.alloc(4 + Math.min(Math.max(0, room), 3 * text.length))
    const { read, written } = encoder.encodeInto(text, target.subarray(4))
    target.writeUInt32LE(read)
    return target.subarray(0, 4 + written)
  }),

  /** Returns the standard name of an encoding for one of its labels, or '' if the encoding is not supported. */
  encodingName: hostFunction(['json'], 'text', (label) => {
    try {
      const { encoding } = new TextDecoder(asText(label))
      return MULTI_BYTE.has(encoding) ? '' : encoding
    } catch {
      return ''
    }
  }),

  /**
   * Decodes bytes. Returns the text or its JSON form (see `encodeForGuest`), or '' if `fatal` is set and the bytes are
   * invalid. The encoding 'binary' maps each byte to one character.
   */
  decodeText: hostFunction(
    ['text', 'boolean', 'boolean', 'bytes'],
    'text',
    (encoding, fatal, keepBom, bytes) => {
      if (encoding === 'binary') {
        const { buffer, byteOffset, length } = bytes
        return encodeForGuest(Buffer.from(buffer, byteOffset, length).toString('latin1'))
      }
      try {
        return encodeForGuest(cachedDecoder(encoding, fatal, keepBom).decode(bytes))
      } catch {
        return ''
      }
    },
  ),

  /**
   * Encodes a text as base64. Returns '' if the text contains characters outside Latin-1. This is unambiguous, because
   * the prelude never passes an empty text.
   */
  btoa: hostFunction(['json'], 'text', (text) => {
    try {
      return btoa(asText(text))
    } catch {
      return ''
    }
  }),

  /**
   * Decodes base64. Returns a byte 1 followed by the decoded bytes, or a single byte 0 if the text is not valid base64.
   */
  atob: hostFunction(['json'], 'bytes', (text) => {
    try {
      return Buffer.from(`\u0001${atob(asText(text))}`, 'latin1')
    } catch {
      return Buffer.alloc(1)
    }
  }),
}

/** Returns a string unchanged, and '' for any other type, because the guest may pass any value. */
function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Converts an empty text, a text with NUL, and a text that could be mistaken for JSON to JSON. Returns other texts
 * unchanged.
 */
function encodeForGuest(text: string): string {
  return text === '' || text.startsWith('"') || text.includes('\0') ? JSON.stringify(text) : text
}

/** Decoders can be reused, because they store no state between calls without `stream`. */
function cachedDecoder(encoding: string, fatal: boolean, ignoreBOM: boolean): TextDecoder {
  const kind = `${encoding} ${fatal} ${ignoreBOM}`
  let found = decoders.get(kind)
  if (found === undefined) {
    found = new TextDecoder(encoding, { fatal, ignoreBOM })
    decoders.set(kind, found)
  }
  return found
}
