/**
 * Validates UTF-8 JSON (RFC 8259) without building values. A body of 32 MiB can contain millions of keys, and building
 * objects from them would take seconds.
 */
import { isJsonSpace } from '../../json-bytes.ts'
import { BODY_DEPTH_MAX } from '../../../shared/limits.ts'

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
const NULL = Buffer.from('null')

/** Characters that may follow a backslash in a JSON string, except `u`. */
const ESCAPED = new Uint8Array(256)
for (const character of Buffer.from('"\\/bfnrt')) ESCAPED[character] = 1

const HEX = new Uint8Array(256)
for (const character of Buffer.from('0123456789abcdefABCDEF')) HEX[character] = 1

export class NotJsonError extends Error {
  constructor(at: number) {
    super(`syntax error or unexpected end at byte ${at}`)
    this.name = 'NotJsonError'
  }
}

/** The JSON text exceeds the maximum nesting depth. The rest of the text was not validated. */
export class NestedTooDeeplyError extends Error {
  override readonly name = 'NestedTooDeeplyError'
  constructor() {
    super(`more than ${BODY_DEPTH_MAX} levels`)
  }
}

export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (isJsonSpace(bytes[at])) at++
  return at
}

/**
 * Stack of enclosing levels: 1 for an object, 0 for an array or the top level. Calls can share the stack, because
 * scanning is synchronous.
 */
const objects = new Uint8Array(BODY_DEPTH_MAX)

/**
 * @param bytes valid UTF-8
 * @returns the position after the value
 * @throws {NotJsonError | NestedTooDeeplyError}
 */
export function scanValue(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== OPEN_OBJECT && bytes[from] !== OPEN_ARRAY) return skipScalar(bytes, from)
  let level = 0
  let inObject = false
  let at = from
  for (;;) {
    const first = bytes[at]
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      if (level === BODY_DEPTH_MAX) throw new NestedTooDeeplyError()
      objects[level++] = inObject ? 1 : 0
      inObject = first === OPEN_OBJECT
      at++
      if (isJsonSpace(bytes[at])) at = skipSpace(bytes, at)
      if (bytes[at] !== (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
        if (inObject) at = skipName(bytes, at)
        continue
      }
    } else at = skipScalar(bytes, at)
    if (isJsonSpace(bytes[at])) at = skipSpace(bytes, at)
    // The value is complete. Also closes all levels that end directly after it.
    while (bytes[at] === (inObject ? CLOSE_OBJECT : CLOSE_ARRAY)) {
      at++
      if (--level === 0) return at
      inObject = objects[level] === 1
      if (isJsonSpace(bytes[at])) at = skipSpace(bytes, at)
    }
    if (bytes[at] !== COMMA) throw new NotJsonError(at)
    at++
    if (isJsonSpace(bytes[at])) at = skipSpace(bytes, at)
    if (inObject) at = skipName(bytes, at)
  }
}

/** @throws {NotJsonError} */
export function skipName(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) throw new NotJsonError(from)
  const at = skipSpace(bytes, skipString(bytes, from))
  if (bytes[at] !== COLON) throw new NotJsonError(at)
  return skipSpace(bytes, at + 1)
}

/**
 * @param from position of the opening quote
 * @returns the position after the closing quote
 * @throws {NotJsonError}
 */
function skipString(bytes: Uint8Array, from: number): number {
  let at = from + 1
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) return at + 1
    if (byte < 0x20) break
    if (byte !== BACKSLASH) continue
    at++
    const escape = bytes[at] ?? 0
    if (ESCAPED[escape] === 1) continue
    if (escape !== 0x75) break
    if (!isFourHex(bytes, at + 1)) break
    at += 4
  }
  throw new NotJsonError(at)
}

function isFourHex(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < from + 4; at++) if (HEX[bytes[at] ?? 0] !== 1) return false
  return true
}

/** The value must already be validated. */
export function kindAt(bytes: Uint8Array, at: number): JsonKind {
  const byte = bytes[at] ?? 0
  if (byte === OPEN_OBJECT) return 'object'
  if (byte === OPEN_ARRAY) return 'array'
  if (byte === QUOTE) return 'string'
  if (byte === TRUE[0] || byte === FALSE[0]) return 'boolean'
  return byte === NULL[0] ? 'null' : 'number'
}

function skipScalar(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte === QUOTE) return skipString(bytes, at)
  if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return skipNumber(bytes, at)
  if (byte === 0x74) return skipWord(bytes, at, TRUE)
  if (byte === 0x66) return skipWord(bytes, at, FALSE)
  if (byte === 0x6e) return skipWord(bytes, at, NULL)
  throw new NotJsonError(at)
}

function skipWord(bytes: Uint8Array, from: number, word: Uint8Array): number {
  for (let n = 1; n < word.length; n++)
    if (bytes[from + n] !== word[n]) throw new NotJsonError(from + n)
  return from + word.length
}

/** Skips a number: `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?` */
function skipNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from
  at = bytes[at] === ZERO ? at + 1 : skipDigits(bytes, at)
  const next = bytes[at]
  // Fast path: most numbers are integers.
  if (next === COMMA) return at
  if (next === DOT) at = skipDigits(bytes, at + 1)
  const exponent = bytes[at]
  if (exponent !== 0x65 && exponent !== 0x45) return at
  const sign = bytes[at + 1]
  return skipDigits(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1)
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from
  for (; at < bytes.length; at++) if (bytes[at]! < ZERO || bytes[at]! > NINE) break
  if (at === from) throw new NotJsonError(at)
  return at
}
