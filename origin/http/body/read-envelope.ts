import type { Context } from 'hono'
import { HEADER_BYTES, MODE_PSK, REQUEST_OVERHEAD_BYTES } from '../../../shared/envelope/format.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { judgeHeader } from '../../channel/open-request.ts'
import type { Services } from '../../services.ts'
import { clientAddress } from '../client-address.ts'
import { EDGE } from '../connection/connection-limit.ts'
import { trustConnection } from '../connection/protect-connections.ts'
import { readBody } from './read-body.ts'

export type EnvelopeBounds = {
  /** Size of the decrypted request. */
  maxBytes: number
  /**
   * Only the edge may send envelopes to this endpoint. An envelope of any other sender is then limited to the size of
   * an ordinary request, which is enough to return a proper error.
   */
  isOfEdge?: boolean
}

/**
 * The version, mode, key ID and PSK ID are checked before the rest is read.
 * @throws {EnvelopeRefused} and any error of `readBody`
 */
export function readEnvelope(
  context: Context,
  { maxBytes, isOfEdge = false }: EnvelopeBounds,
  { channel, bodyRooms }: Pick<Services, 'channel' | 'bodyRooms'>,
): Promise<Uint8Array> {
  const anyone = bodyRooms.ofClient(clientAddress(context))
  const judge = (opening: Uint8Array) => {
    if (judgeHeader(channel.keys, opening).mode === MODE_PSK) {
      trustConnection(context, EDGE)
      return { maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES, holder: bodyRooms.ofEdge() }
    }
    const most = isOfEdge ? Math.min(maxBytes, OPERATION_BODY_MAX_BYTES) : maxBytes
    return { maxBytes: most + REQUEST_OVERHEAD_BYTES, holder: anyone }
  }
  return readBody(context, {
    maxBytes: maxBytes + REQUEST_OVERHEAD_BYTES,
    holder: anyone,
    opening: { bytes: HEADER_BYTES, judge },
  })
}
