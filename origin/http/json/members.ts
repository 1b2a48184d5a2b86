import { isUtf8 } from 'node:buffer'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { JsonText } from './json-text.ts'
import { type JsonKind, kindAt, NotJsonError, scanValue, skipName, skipSpace } from './scan.ts'
import { hexDigit } from '../../json-bytes.ts'

const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

export type MemberSelection = {
  /** Names of the properties to read. All other properties are only validated as JSON. */
  names: readonly string[]
  /** Name of the property (also listed in `names`) that becomes a `JsonText` if its value is an object. */
  text: string
}

/**
 * Parses only some properties of a JSON object. If a name is repeated, uses the last value. A value of the wrong type
 * becomes an empty value of that type, which is enough for validation to report the wrong type.
 * @param bytes valid UTF-8, without a byte order mark
 * @throws {NotJsonError | NestedTooDeeplyError}
 */
export function readMembers(bytes: Buffer, { names, text }: MemberSelection): unknown {
  const start = skipSpace(bytes, 0)
  if (bytes[start] !== OPEN_OBJECT) {
    requireEnd(bytes, scanValue(bytes, start))
    return emptyValue(kindAt(bytes, start))
  }
  const found = findMembers(bytes, start, names)
  const read: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const [from, end] = [found.starts[index]!, found.ends[index]!]
    if (end === 0) continue
    read[name] = name === text ? readJsonText(bytes, from, end) : readValue(bytes, from, end)
  }
  return read
}

/** Start and end byte offsets of each name's value. The end is 0 if the name does not occur. */
type MemberOffsets = { starts: Uint32Array; ends: Uint32Array }

function findMembers(bytes: Uint8Array, start: number, names: readonly string[]): MemberOffsets {
  const found = { starts: new Uint32Array(names.length), ends: new Uint32Array(names.length) }
  let at = skipSpace(bytes, start + 1)
  if (bytes[at] === CLOSE_OBJECT) {
    requireEnd(bytes, at + 1)
    return found
  }
  for (;;) {
    const valueAt = skipName(bytes, at)
    const end = scanValue(bytes, valueAt)
    for (let index = 0; index < names.length; index++) {
      if (!isMemberName(bytes, at, names[index]!)) continue
      found.starts[index] = valueAt
      found.ends[index] = end
    }
    at = skipSpace(bytes, end)
    if (bytes[at] === CLOSE_OBJECT) break
    if (bytes[at] !== COMMA) throw new NotJsonError(at)
    at = skipSpace(bytes, at + 1)
  }
  requireEnd(bytes, at + 1)
  return found
}

/**
 * Validates JSON text without parsing it.
 * @throws {NotJsonError | NestedTooDeeplyError} also if the value is not an object, or the bytes are not UTF-8
 */
export function readObjectText(bytes: Buffer): JsonText {
  const start = skipSpace(bytes, 0)
  if (!isUtf8(bytes) || bytes[start] !== OPEN_OBJECT) throw new NotJsonError(start)
  requireEnd(bytes, scanValue(bytes, start))
  return new JsonText(bytes.toString('utf8'))
}

function requireEnd(bytes: Uint8Array, from: number): void {
  const at = skipSpace(bytes, from)
  if (at < bytes.length) throw new NotJsonError(at)
}

function readJsonText(bytes: Buffer, from: number, end: number): unknown {
  const kind = kindAt(bytes, from)
  if (kind !== 'object') return emptyValue(kind)
  // Decoded separately, because a slice of a larger string would keep the whole string in memory.
  return new JsonText(bytes.toString('utf8', from, end))
}

/**
 * Parses a value. A large object or array becomes empty if it exceeds the size limit of a body without source, because
 * no field accepts such a value.
 */
function readValue(bytes: Buffer, from: number, end: number): unknown {
  const kind = kindAt(bytes, from)
  const isNested = kind === 'object' || kind === 'array'
  if (isNested && end - from > OPERATION_BODY_MAX_BYTES) return emptyValue(kind)
  return JSON.parse(bytes.toString('utf8', from, end))
}

function emptyValue(kind: JsonKind): unknown {
  switch (kind) {
    case 'object':
      return {}
    case 'array':
      return []
    case 'string':
      return ''
    case 'number':
      return 0
    case 'boolean':
      return true
    case 'null':
      return null
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const U = 0x75

/**
 * Compares the JSON string at `from` with a name. The string must be valid and may contain escapes. Allocates no
 * memory, because a body can contain millions of names.
 * @param name printable ASCII without quotes, slashes or backslashes, so that `\u` is the only possible escape
 */
function isMemberName(bytes: Uint8Array, from: number, name: string): boolean {
  let at = from + 1
  for (let n = 0; n < name.length; n++) {
    const byte = bytes[at]!
    if (byte !== BACKSLASH) {
      if (byte !== name.charCodeAt(n)) return false
      at++
      continue
    }
    if (bytes[at + 1] !== U) return false
    if (hexAt(bytes, at + 2) !== name.charCodeAt(n)) return false
    at += 6
  }
  return bytes[at] === QUOTE
}

function hexAt(bytes: Uint8Array, from: number): number {
  let value = 0
  for (let at = from; at < from + 4; at++) value = value * 16 + hexDigit(bytes[at]!)
  return value
}
