/**
 * Reads a request for a signature into the one form that is checked and then signed. Everything that two programs could
 * read differently is denied.
 */
import { decodeHexText, encodeHex } from '../encoding/hex.ts'
import { DeniedError } from './denial.ts'
import { requireFields, type Fields, readText } from './fields.ts'
import { type Notation, readBytes, readHex, requireBytes } from './numbers.ts'
import { readTransaction, type Transaction } from './transaction.ts'
import { readTypedData, type TypedData } from './typed-data.ts'

export type SigningRequest =
  | { kind: 'transaction'; transaction: Transaction }
  | { kind: 'message'; message: Message }
  | { kind: 'typed_data'; typedData: TypedData }
  /** 32 bytes as lower-case 0x hex. */
  | { kind: 'digest'; digest: string }

/** A message that is signed with the prefix of EIP-191. */
export type Message = {
  bytes: string
  /** The bytes as UTF-8. Undefined if they are not valid UTF-8. */
  text: string | undefined
}

/**
 * Reads an untrusted request for a signature.
 * @param request in the form of docs/policies.md#requests
 * @param wallet address, which the field `from` of a transaction must name if it is present
 * @throws {DeniedError}
 */
export function readRequest(
  request: unknown,
  wallet: string,
  notation: Notation = 'strict',
): SigningRequest {
  const fields = requireFields(request, 'request')
  const kind = fields.value('kind')
  switch (kind) {
    case 'transaction':
      fields.requireKnown(['kind', 'transaction'])
      return { kind, transaction: readTransaction(fields.value(kind), wallet, notation) }
    case 'message':
      fields.requireKnown(['kind', 'message', 'bytes'])
      return { kind, message: readMessage(fields) }
    case 'typed_data':
      fields.requireKnown(['kind', 'domain', 'types', 'value', 'primaryType'])
      return { kind, typedData: readTypedData(fields, notation) }
    case 'digest':
      fields.requireKnown(['kind', 'digest'])
      return {
        kind,
        digest: requireBytes(readBytes(fields.value('digest'), 'digest'), 32, 'digest'),
      }
    default:
      throw new DeniedError(
        'malformed_request',
        'request.kind: expected transaction, message, typed_data or digest',
      )
  }
}

/** Text is always text: `0x12` is four characters, as for ethers. */
function readMessage(fields: Fields): Message {
  const [text, given] = [fields.value('message'), fields.value('bytes')]
  if ((text === undefined) === (given === undefined))
    throw new DeniedError('malformed_request', 'message: expected either message or bytes')
  if (text === undefined) return messageOf(readBytes(given, 'message'))
  if (typeof text !== 'string')
    throw new DeniedError('malformed_request', 'message: expected a string')
  const encoded = encodeHex(new TextEncoder().encode(readText(text, 'message')))
  return { bytes: readHex(`0x${encoded}`, 'message'), text }
}

/** @param bytes lower-case 0x hex */
export const messageOf = (bytes: string): Message => ({
  bytes,
  // Lazy, because few policies need it.
  get text() {
    return decodeHexText(bytes)
  },
})
