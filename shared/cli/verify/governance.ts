import {
  ALLOWED_COMPOSE_HASHES,
  type GovernanceDecision,
} from '../../attestation/rules/governance.ts'
import { tryParseJson } from '../../json/try-parse-json.ts'
import { readBoundedBody } from '../../network/bounded-body.ts'

const CALL_MS = 15_000
/** Maximum size of a node's response, far more than a 32-byte word in a JSON-RPC envelope needs. */
const RESPONSE_MAX_BYTES = 10_000

/** The node returned no usable response, so the contract's decision is unknown. */
export class GovernanceUnknownError extends Error {
  override name = 'GovernanceUnknownError'
}

/**
 * @param appId the contract's address, as hex of 20 bytes without 0x
 * @param composeHash hex of 32 bytes without 0x
 * @throws {GovernanceUnknownError}
 */
export async function askGovernance(
  rpcUrl: string,
  appId: string,
  composeHash: string,
  fetch: typeof globalThis.fetch,
): Promise<GovernanceDecision> {
  const chainId = await call(fetch, rpcUrl, 'eth_chainId', [])
  if (!/^0x[0-9a-f]{1,13}$/.test(chainId))
    throw new GovernanceUnknownError('the node returned no valid chain ID')
  const data = `${ALLOWED_COMPOSE_HASHES}${composeHash}`
  const word = await call(fetch, rpcUrl, 'eth_call', [{ to: `0x${appId}`, data }, 'latest'])
  if (word === '0x')
    throw new GovernanceUnknownError(`no contract exists at 0x${appId} on chain ${Number(chainId)}`)
  if (!/^0x0{63}[01]$/.test(word))
    throw new GovernanceUnknownError(`the contract at 0x${appId} is not a governance contract`)
  return { chain_id: Number(chainId), allowed: word.endsWith('1') }
}

async function call(
  fetch: typeof globalThis.fetch,
  rpcUrl: string,
  method: string,
  params: unknown[],
): Promise<string> {
  const answer = await post(fetch, rpcUrl, { jsonrpc: '2.0', id: 1, method, params })
  const { result, error } = parseRpcResponse(answer)
  if (typeof result === 'string') return result.toLowerCase()
  const { message } = (error ?? {}) as { message?: unknown }
  const reason = typeof message === 'string' ? message.slice(0, 200) : 'no result'
  throw new GovernanceUnknownError(`the node rejected ${method}: ${reason}`)
}

async function post(
  fetch: typeof globalThis.fetch,
  rpcUrl: string,
  request: object,
): Promise<string> {
  try {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_MS),
    })
    const body = await readBoundedBody(response, RESPONSE_MAX_BYTES)
    if (!body) throw new Error('the response is too long')
    return new TextDecoder().decode(body)
  } catch (error) {
    const { cause, message } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    throw new GovernanceUnknownError(`the node does not respond: ${reason}`, { cause: error })
  }
}

function parseRpcResponse(text: string): { result?: unknown; error?: unknown } {
  const value = tryParseJson(text)
  if (typeof value === 'object' && value !== null) return value
  throw new GovernanceUnknownError('the node’s response is not JSON-RPC')
}
