import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { ENCODED_MAX_BYTES, ENCODINGS_MAX } from './bounds.ts'
import { OutboundError } from './outbound-error.ts'
import { responseTooLarge } from './response-body.ts'

type Decode = (bytes: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>

const gzip: Decode = promisify(gunzip)
const wrapped: Decode = promisify(inflate)
const raw: Decode = promisify(inflateRaw)
/** Decodes deflate data with or without a zlib header, because some servers omit the header (RFC 9110, 8.4.1.2). */
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
 * Decoding steps in the order in which they are applied. The list is empty if any encoding is unknown; the body is then
 * not decoded, as in browsers.
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
    throw new OutboundError(
      `the response of ${named} has more than ${ENCODINGS_MAX} content encodings`,
    )
  return names.every((name) => Object.hasOwn(DECODERS, name)) ? names.toReversed() : []
}

/**
 * Limits the output of each step to the maximum response size, to protect against decompression bombs.
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
      if (error instanceof RangeError) throw responseTooLarge(named)
      throw new OutboundError(`the response of ${named} is not valid ${encoding}`)
    }
  }
  return bytes
}
