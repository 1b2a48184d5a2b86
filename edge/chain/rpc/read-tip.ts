import type { Tip } from '../block-header.ts'
import type { Endpoint } from './endpoint.ts'
import { badAnswer, EndpointFailed, rpcErrorKind } from './endpoint-failure.ts'
import { headerCall, headerIn, taggedHeader } from './read-header.ts'
import { NodeLags } from './rpc-failures.ts'

/**
 * @throws {EndpointFailed}
 * @throws {NodeLags}
 */
export async function readTip(
  endpoint: Endpoint,
  tags: readonly ('safe' | 'finalized')[],
): Promise<Tip> {
  const [answer, ...tagged] = await endpoint.ask(
    [headerCall('latest'), ...tags.map(headerCall)],
    'live',
  )
  if (!answer || 'error' in answer) throw new EndpointFailed(rpcErrorKind(answer?.error.code ?? 0))
  if (answer.result === null) throw badAnswer('no latest block')
  const tip: Tip = { latest: headerIn(answer.result) }
  for (const [n, tag] of tags.entries()) {
    const header = taggedHeader(tagged[n]!)
    // Several nodes share the URL, and the one that returned the head lags.
    if (header && header.number > tip.latest.number)
      throw new NodeLags('a final block is above the head')
    tip[tag] = header
  }
  return tip
}
