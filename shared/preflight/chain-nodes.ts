import type { Chains } from '../config/chain-settings.ts'
import { endpointAddress } from '../rpc/endpoint-address.ts'
import { EndpointError } from '../rpc/endpoint-error.ts'
import { matchResponses, rpcBody } from '../rpc/json-rpc.ts'
import { type Network, postRpc } from '../rpc/post-rpc.ts'
import { parseQuantity } from '../rpc/quantities.ts'
import { type Check, fault, ok } from './checks.ts'

const CALLS = [{ method: 'eth_chainId', params: [] }]

/** Requests the chain ID of every node. Names nodes by their position, because their URLs may contain keys. */
export function checkChainNodes(chains: Chains, network: Network): Promise<Check[]> {
  const nodes = Object.entries(chains).flatMap(([chain, { rpc, chainId }]) =>
    rpc.map((url, place) => checkNode(`CHAINS.${chain}.rpc.${place}`, url, chainId, network)),
  )
  return Promise.all(nodes)
}

async function checkNode(
  name: string,
  url: string,
  expected: number,
  network: Network,
): Promise<Check> {
  try {
    const found = await chainIdOf(url, network)
    if (found !== expected) return fault(name, `chain ID ${found}, expected ${expected}`)
    return ok(name, `chain ID ${found}`)
  } catch (error) {
    if (error instanceof EndpointError) return fault(name, error.message)
    throw error
  }
}

async function chainIdOf(url: string, network: Network): Promise<number> {
  const response = await postRpc(network, endpointAddress(url, 0), rpcBody(CALLS, 1))
  if (response.json === undefined) throw new EndpointError(`http_${response.status}`)
  const matched = matchResponses(response.json, 1, 1)
  const [answer] = 'answers' in matched ? matched.answers : [{ error: matched.refused }]
  if (!answer || 'error' in answer) throw new EndpointError('rpc_error')
  return parseQuantity(answer.result, 'eth_chainId')
}
