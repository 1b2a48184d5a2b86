import type { Context } from 'hono'
import { HEADER_BYTES, MODE_PSK, REQUEST_OVERHEAD_BYTES } from '../../../shared/envelope/format.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { checkHeader } from '../../channel/open-request.ts'
import type { OriginServices } from '../../services.ts'
import { resolveClientAddress } from '../client-address.ts'
import { EDGE_HOLDER } from '../connection/connection-limit.ts'
import { trustConnection } from '../connection/protect-connections.ts'
import { readRequestBody } from './read-body.ts'

type EnvelopeLimits = {
  /** Maximum size of the decrypted request, in bytes. */
  maxBytes: number
  /**
   * True if only the edge may send envelopes to this endpoint. An envelope from any other sender is then limited to the
   * size of an ordinary request, which is enough to return a proper error.
   */
  isOfEdge?: boolean
}

/**
 * Reads an envelope. Checks the version, mode, key ID and PSK ID before reading the rest.
 * @throws {EnvelopeError} and any error of `readRequestBody`
 */
export function readEnvelope(
  context: Context,
  { maxBytes, isOfEdge = false }: EnvelopeLimits,
  { channel, bodyBudgets }: Pick<OriginServices, 'channel' | 'bodyBudgets'>,
): Promise<Uint8Array> {
  const anyone = bodyBudgets.forClient(resolveClientAddress(context))
  const judge = (opening: Uint8Array) => {
    if (checkHeader(channel.keys, opening).mode === MODE_PSK) {
      trustConnection(context, EDGE_HOLDER)
      return { maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES, holder: bodyBudgets.forEdge() }
    }
    const most = isOfEdge ? Math.min(maxBytes, OPERATION_BODY_MAX_BYTES) : maxBytes
    return { maxBytes: most + REQUEST_OVERHEAD_BYTES, holder: anyone }
  }
  return readRequestBody(context, {
    maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES,
    holder: anyone,
    opening: { bytes: HEADER_BYTES, judge },
  })
}
