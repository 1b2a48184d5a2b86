import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import type { EventInput, EventSignature } from './event-signature.ts'
import { SignatureTokenStream } from './signature-token-stream.ts'
import { readArgumentName, readType } from './read-type.ts'

/**
 * Maximum number of arguments. Solidity's legacy code generator supports about 15, and no known event has more than 32.
 * With 32 arguments, there are fewer than 5,000 ways to choose three indexed ones.
 */
const INPUTS_MAX = 32

/**
 * Maximum number of indexed arguments. A log has at most three topics in addition to the topic that identifies the
 * event.
 */
export const INDEXED_MAX = 3

/**
 * Parses an event signature in Solidity, human-readable ABI, or canonical form.
 * @throws {EventSignatureError} with the position of the problem and a suggested fix
 */
export function parseEventSignature(text: string): EventSignature {
  const tokens = new SignatureTokenStream(text)
  if (tokens.isWord('event') && tokens.isWord(undefined, 1)) tokens.next()
  const name = readName(tokens)
  const inputs = readInputs(tokens)
  readEnd(tokens)

  const canonical = `${name}(${inputs.map((input) => input.canonical).join(',')})`
  const topic0 = `0x${encodeHex(keccak_256(new TextEncoder().encode(canonical)))}`
  return { name, inputs, canonical, topic0, isMarked: inputs.some((input) => input.indexed) }
}

function readName(tokens: SignatureTokenStream): string {
  if (tokens.isWord('function') || tokens.isWord('error'))
    if (tokens.isWord(undefined, 1))
      throw tokens.error(
        `a ${tokens.current.text} is not an event`,
        'write the event’s declaration',
      )
  if (!tokens.isWord())
    throw tokens.error(
      tokens.current.kind === 'end'
        ? 'the signature is empty'
        : 'the signature does not start with the event name',
      'write, for example, Transfer(address,address,uint256)',
    )
  return tokens.next().text
}

function readInputs(tokens: SignatureTokenStream): EventInput[] {
  tokens.expect('(', 'write the types of the event’s arguments in parentheses')
  const inputs: EventInput[] = []
  if (tokens.accept(')')) return inputs
  do {
    if (inputs.length === INPUTS_MAX)
      throw tokens.error(
        `at most ${INPUTS_MAX} arguments are supported`,
        'check the signature: events of contracts have fewer',
      )
    inputs.push(readInput(tokens, inputs))
  } while (tokens.accept(','))
  tokens.expect(
    ')',
    'write a comma before the next argument, or a closing parenthesis after the last',
  )
  return inputs
}

function readInput(tokens: SignatureTokenStream, before: readonly EventInput[]): EventInput {
  const { type, canonical } = readType(tokens)
  const indexed = tokens.isWord('indexed')
  if (indexed) {
    if (before.filter((input) => input.indexed).length === INDEXED_MAX)
      throw tokens.error(
        `at most ${INDEXED_MAX} arguments can be indexed`,
        'mark only those that the contract marks',
      )
    tokens.next()
    if (tokens.isWord('indexed'))
      throw tokens.error('the argument is already indexed', 'write "indexed" once')
  }
  const name = readArgumentName(tokens)
  return { type, canonical, indexed, ...(name === undefined ? {} : { name }) }
}

function readEnd(tokens: SignatureTokenStream): void {
  if (tokens.isWord('anonymous'))
    throw tokens.error(
      'an anonymous event has no topic that identifies it',
      'use another event: a trigger cannot distinguish the logs of this one from others',
    )
  tokens.accept(';')
  if (tokens.current.kind !== 'end')
    throw tokens.error('unexpected text after the arguments', 'remove it')
}
