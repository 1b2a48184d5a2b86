import { elementaryType } from './elementary-types.ts'
import type { AbiType } from './event-signature.ts'
import type { SignatureTokenStream } from './signature-token-stream.ts'
import { minWords } from './type-size.ts'

/**
 * Maximum nesting of arrays and tuples. Contracts use two or three levels. The value decoder recurses to the same
 * depth.
 */
const TYPE_DEPTH_MAX = 8

/**
 * Maximum size of a type's smallest value, in 32-byte words. A limit is necessary because the lengths of nested
 * fixed-length arrays multiply. A log of this size would cost a million gas, so a larger type is probably a mistake.
 */
const TYPE_WORDS_MAX = 4_096

type ParsedType = { type: AbiType; canonical: string }

/** @throws {EventSignatureError} if the text is not a valid type */
export function readType(tokens: SignatureTokenStream, depth = 0): ParsedType {
  const start = tokens.current
  if (tokens.isWord('tuple') && tokens.isPunctuation('(', 1)) tokens.next()
  let read = tokens.isPunctuation('(') ? readTuple(tokens, depth) : readElementary(tokens)
  while (tokens.accept('[')) {
    read = readArray(tokens, read)
    if (depth + nesting(read.type) > TYPE_DEPTH_MAX) throw tooDeep(tokens)
  }
  if (minWords(read.type) > TYPE_WORDS_MAX)
    throw tokens.error(
      'the arrays of this type are too long',
      `use a type of at most ${TYPE_WORDS_MAX} words of 32 bytes`,
      start,
    )
  return read
}

function readElementary(tokens: SignatureTokenStream): ParsedType {
  if (!tokens.isWord())
    throw tokens.error('a type is missing', 'write one, such as address or uint256')
  const name = tokens.current.text
  if (name === 'tuple')
    throw tokens.error('the tuple’s members are missing', 'write tuple(address,uint256)')
  // A qualified name such as `Library.Name` is never an ABI type.
  const found = elementaryType(tokens.isPunctuation('.', 1) ? `${name}.…` : name)
  if ('problem' in found) throw tokens.error(found.problem, found.fix)
  tokens.next()
  if (name === 'address' && tokens.isWord('payable')) tokens.next()
  return found
}

function readTuple(tokens: SignatureTokenStream, depth: number): ParsedType {
  if (depth >= TYPE_DEPTH_MAX) throw tooDeep(tokens)
  tokens.expect('(', 'write the tuple’s members')
  const members: ParsedType[] = []
  if (tokens.isPunctuation(')'))
    throw tokens.error('a tuple must have at least one member', 'write the types of its members')
  do members.push(readMember(tokens, depth + 1))
  while (tokens.accept(','))
  tokens.expect(
    ')',
    'write a comma before the next member, or a closing parenthesis after the last',
  )
  return {
    type: { kind: 'tuple', members: members.map((member) => member.type) },
    canonical: `(${members.map((member) => member.canonical).join(',')})`,
  }
}

function readMember(tokens: SignatureTokenStream, depth: number): ParsedType {
  const member = readType(tokens, depth)
  if (tokens.isWord('indexed'))
    throw tokens.error('a member of a tuple cannot be indexed', 'mark the whole tuple')
  readArgumentName(tokens)
  return member
}

/**
 * Parses an optional argument name, which is not part of the canonical signature.
 * @throws {EventSignatureError} if there is a data location, such as `memory`
 */
export function readArgumentName(tokens: SignatureTokenStream): string | undefined {
  for (const location of ['memory', 'storage', 'calldata'])
    if (tokens.isWord(location))
      throw tokens.error(`${location} is not allowed in an event`, 'remove it')
  return tokens.isWord() ? tokens.next().text : undefined
}

/** Parses the rest of an array suffix after its opening bracket, for example `4]`. */
function readArray(tokens: SignatureTokenStream, of: ParsedType): ParsedType {
  let length: number | null = null
  if (tokens.current.kind === 'number') {
    const { text } = tokens.current
    length = Number(text)
    if (text.startsWith('0') || length > TYPE_WORDS_MAX)
      throw tokens.error(
        `an array cannot have ${text.slice(0, 20)} elements`,
        `write an integer from 1 to ${TYPE_WORDS_MAX}, or nothing for any length`,
      )
    tokens.next()
  }
  tokens.expect(']', 'close the bracket after the array length')
  return {
    type: { kind: 'array', of: of.type, length },
    canonical: `${of.canonical}[${length ?? ''}]`,
  }
}

function nesting(type: AbiType): number {
  if (type.kind === 'array') return 1 + nesting(type.of)
  if (type.kind === 'tuple') return 1 + Math.max(...type.members.map(nesting))
  return 0
}

function tooDeep(tokens: SignatureTokenStream) {
  return tokens.error(
    `arrays and tuples are nested more than ${TYPE_DEPTH_MAX} levels deep`,
    'check the parentheses and brackets',
  )
}
