import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { ENCODED_MAX_BYTES, ENCODINGS_MAX } from './bounds.ts'
import { OutboundError } from './outbound-error.ts'
import { tooLarge } from './response-body.ts'

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const gzip: Decode = promisify(gunzip)
const wrapped: Decode = promisify(inflate)
const raw: Decode = promisify(inflateRaw)
/** Most responses labeled deflate have a zlib header, but some do not (RFC 9110, 8.4.1.2). */
const deflate: Decode = (bytes, options) =>
  ((bytes[0] ?? 0) & 0x0f) === 8 ? wrapped(bytes, options) : raw(bytes, options)

const DECODERS: Record<string, Decode> = {
  gzip,
  'x-gzip': gzip,
  deflate,
  br: promisify(brotliDecompress),
}

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/**
 * Decoding steps for a response's body, in that order. Empty if an encoding is unknown: the body is not decoded, as in
 * browsers.
 */
export type Encodings = readonly string[]

/** @throws {OutboundError} if there are more than `ENCODINGS_MAX` encodings */
export function readEncodings(headers: readonly [string, string][], named: string): Encodings {
  const names = headers
    .filter(([name]) => name === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length > ENCODINGS_MAX)
    throw new OutboundError(`the response of ${named} is encoded more than ${ENCODINGS_MAX} times`)
  return names.every((name) => Object.hasOwn(DECODERS, name)) ? names.toReversed() : []
}

/**
 * Decodes a body. The output of each step is limited, so a decompression bomb costs no more than the largest response.
 * @throws {OutboundError}
 */
export async function decodeBody(
  body: Uint8Array,
  encodings: Encodings,
  named: string,
): Promise<Uint8Array> {
  if (body.length === 0) return body
  let bytes = body
  for (const [step, encoding] of encodings.entries()) {
    const isLast = step === encodings.length - 1
    const maxOutputLength = isLast ? OUTBOUND_RESPONSE_MAX_BYTES : ENCODED_MAX_BYTES
    try {
      bytes = await DECODERS[encoding]!(bytes, { maxOutputLength })
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(named)
      throw new OutboundError(`the response of ${named} is not the ${encoding} that it says it is`)
    }
  }
  return bytes
}
