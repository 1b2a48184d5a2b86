import type { Tip } from '../block-header.ts'
import type { Endpoint } from './endpoint.ts'
import { badResponse, EndpointError, rpcErrorKind } from './endpoint-error.ts'
import { headerCall, parseBlockHeader, parseTaggedHeader } from './read-header.ts'
import { NodeLaggingError } from './chain-read-errors.ts'

/**
 * @throws {EndpointError}
 * @throws {NodeLaggingError} if the block of a tag is above the head
 */
export async function readTip(
  endpoint: Endpoint,
  tags: readonly ('safe' | 'finalized')[],
): Promise<Tip> {
  const [answer, ...tagged] = await endpoint.call(
    [headerCall('latest'), ...tags.map(headerCall)],
    'live',
  )
  if (!answer || 'error' in answer) throw new EndpointError(rpcErrorKind(answer?.error.code ?? 0))
  if (answer.result === null) throw badResponse('no latest block')
  const tip: Tip = { latest: parseBlockHeader(answer.result) }
  for (const [n, tag] of tags.entries()) {
    const header = parseTaggedHeader(tagged[n]!)
    // Several nodes must share the URL, and the node that returned the head lags behind the node that returned the
    // tagged block.
    if (header && header.number > tip.latest.number)
      throw new NodeLaggingError('a final block is above the head')
    tip[tag] = header
  }
  return tip
}
