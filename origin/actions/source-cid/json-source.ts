import { isUtf8 } from 'node:buffer'
import { byteOrderMarkLength, hexDigit, isJsonSpace } from '../../json-bytes.ts'
import { sourceSchema } from '../../../shared/wire/action-call.ts'

export type SourceFault =
  | { reason: 'not_utf8' | 'not_a_string' | 'not_well_formed' }
  | { reason: 'not_json'; detail: string }
  | { reason: 'too_large'; maxBytes: number }

export class InvalidSourceError extends Error {
  override readonly name = 'InvalidSourceError'
  readonly fault: SourceFault
  constructor(fault: SourceFault) {
    super(`the source was rejected: ${fault.reason}`)
    this.fault = fault
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const U = 0x75

/**
 * Returns the action source in a JSON text, which must consist of a single string. Checks the size before parsing the
 * text.
 * @param maxBytes maximum size of the source in UTF-8
 * @throws {InvalidSourceError}
 */
export function readSource(json: Uint8Array, maxBytes: number): string {
  if (!isUtf8(json)) throw new InvalidSourceError({ reason: 'not_utf8' })
  if (exceedsBytes(json, maxBytes)) throw new InvalidSourceError({ reason: 'too_large', maxBytes })
  const value = parseSourceJson(new TextDecoder().decode(json))
  if (typeof value !== 'string') throw new InvalidSourceError({ reason: 'not_a_string' })
  if (!sourceSchema.safeParse(value).success)
    throw new InvalidSourceError({ reason: 'not_well_formed' })
  return value
}

export function beginsAsString(json: Uint8Array): boolean {
  let at = byteOrderMarkLength(json)
  while (isJsonSpace(json[at])) at++
  return json[at] === QUOTE
}

/**
 * True if the string in a JSON text, with its escapes resolved, is longer than `maxBytes` in UTF-8. Does not allocate
 * the string.
 */
function exceedsBytes(json: Uint8Array, maxBytes: number): boolean {
  if (json.length - 2 <= maxBytes) return false
  // Starts at -2 to exclude the two quotation marks.
  let bytes = -2
  for (let at = 0; at < json.length; bytes++) {
    if (json[at] !== BACKSLASH) at++
    else if (json[at + 1] !== U) at += 2
    else {
      bytes += extraBytes(json, at + 2)
      at += 6
    }
  }
  return bytes > maxBytes
}

/**
 * Returns the UTF-8 size of the character in a `\u` escape, minus one byte. Each half of a surrogate pair counts as two
 * of the four bytes.
 */
function extraBytes(json: Uint8Array, hexAt: number): number {
  // The upper twelve bits of a code unit determine its size in UTF-8.
  // Characters that are not hex digits are not checked here, because the JSON parser rejects them later.
  const digit = (at: number) => hexDigit(json[at] ?? 0)
  const bits = digit(hexAt) * 256 + digit(hexAt + 1) * 16 + digit(hexAt + 2)
  if (bits < 0x8) return 0
  return bits < 0x80 || (bits >= 0xd80 && bits <= 0xdff) ? 1 : 2
}

function parseSourceJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidSourceError({ reason: 'not_json', detail: (error as SyntaxError).message })
  }
}
