import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/hex.ts'
import type { EventInput, EventSignature } from './event-signature.ts'
import { SignatureTokens } from './signature-tokens.ts'
import { readArgumentName, readType } from './read-type.ts'

/**
 * Solidity's legacy code generator supports about 15 inputs, the newer one more. No known event has more than 32, and
 * the number of ways to choose three indexed arguments stays below 5,000.
 */
export const INPUTS_MAX = 32

/** A log has at most three topics in addition to the event's own. */
export const INDEXED_MAX = 3

/**
 * Parses an event declaration from Solidity source, a human-readable ABI, or canonical form.
 * @throws {SignatureRefused} with the position and a suggested fix
 */
export function parseEventSignature(text: string): EventSignature {
  const tokens = new SignatureTokens(text)
  if (tokens.isWord('event') && tokens.isWord(undefined, 1)) tokens.next()
  const name = readName(tokens)
  const inputs = readInputs(tokens)
  readEnd(tokens)

  const canonical = `${name}(${inputs.map((input) => input.canonical).join(',')})`
  const topic0 = `0x${encodeHex(keccak_256(new TextEncoder().encode(canonical)))}`
  return { name, inputs, canonical, topic0, isMarked: inputs.some((input) => input.indexed) }
}

function readName(tokens: SignatureTokens): string {
  if (tokens.isWord('function') || tokens.isWord('error'))
    if (tokens.isWord(undefined, 1))
      throw tokens.refused(`a ${tokens.here.text} is no event`, 'write the event’s declaration')
  if (!tokens.isWord())
    throw tokens.refused(
      tokens.here.kind === 'end' ? 'it is empty' : 'it does not begin with the event’s name',
      'write it like Transfer(address,address,uint256)',
    )
  return tokens.next().text
}

function readInputs(tokens: SignatureTokens): EventInput[] {
  tokens.expect('(', 'write the types of the event’s arguments in parentheses')
  const inputs: EventInput[] = []
  if (tokens.take(')')) return inputs
  do {
    if (inputs.length === INPUTS_MAX)
      throw tokens.refused(
        `at most ${INPUTS_MAX} arguments are taken`,
        'no event of a contract has more: check the signature',
      )
    inputs.push(readInput(tokens, inputs))
  } while (tokens.take(','))
  tokens.expect(')', 'write a comma before the next argument, or a parenthesis behind the last')
  return inputs
}

function readInput(tokens: SignatureTokens, before: readonly EventInput[]): EventInput {
  const { type, canonical } = readType(tokens)
  const indexed = tokens.isWord('indexed')
  if (indexed) {
    if (before.filter((input) => input.indexed).length === INDEXED_MAX)
      throw tokens.refused(
        `at most ${INDEXED_MAX} arguments can be indexed`,
        'mark those that the contract marks',
      )
    tokens.next()
    if (tokens.isWord('indexed')) throw tokens.refused('it is indexed already', 'write it once')
  }
  const name = readArgumentName(tokens)
  return { type, canonical, indexed, ...(name === undefined ? {} : { name }) }
}

function readEnd(tokens: SignatureTokens): void {
  if (tokens.isWord('anonymous'))
    throw tokens.refused(
      'an anonymous event has no topic of its own',
      'its logs can not be told from others, so that no trigger can watch for it',
    )
  tokens.take(';')
  if (tokens.here.kind !== 'end')
    throw tokens.refused('nothing may stand behind the arguments', 'leave it out')
}
