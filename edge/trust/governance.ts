/** Asks the governance contract whether a compose hash is allowed (`docs/attestation.md`, rule 7). */
import { z } from 'zod'
import {
  ALLOWED_COMPOSE_HASHES,
  type GovernanceDecision,
} from '../../shared/attestation/rules/governance.ts'
import { readBoundedBody } from '../../shared/network/bounded-body.ts'

/** The governance contract could not be queried, so it is unknown whether the compose hash is allowed. */
export class GovernanceUnavailableError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the governance contract could not be queried: ${reason}`, options)
    this.name = 'GovernanceUnavailableError'
  }
}

/** ABI encoding of `true`. Any other result counts as a denial. */
const TRUE = `0x${'1'.padStart(64, '0')}`

const answersSchema = z.array(
  z.object({ id: z.int(), result: z.string().regex(/^0x[0-9a-f]*$/i) }).loose(),
)

/**
 * Queries the governance contract, which is deployed at the application's ID.
 * @param appId 20 bytes in hex
 * @param composeHash 32 bytes in hex
 * @throws {GovernanceUnavailableError} if the contract cannot be queried
 */
export async function queryGovernanceContract(
  { rpcUrl, appId, composeHash }: { rpcUrl: string; appId: string; composeHash: string },
  send: typeof fetch,
  signal: AbortSignal,
): Promise<GovernanceDecision> {
  const call = { to: `0x${appId}`, data: `${ALLOWED_COMPOSE_HASHES}${composeHash}` }
  const calls = [
    { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
    { jsonrpc: '2.0', id: 2, method: 'eth_call', params: [call, 'latest'] },
  ]
  const answers = answersSchema.safeParse(await postCalls(rpcUrl, calls, send, signal))
  const resultOf = (id: number) => answers.data?.find((answer) => answer.id === id)?.result
  const [chainId, allowed] = [resultOf(1), resultOf(2)]
  if (chainId === undefined || allowed === undefined)
    throw new GovernanceUnavailableError('the node returned no result')
  return { chain_id: Number(chainId), allowed: allowed.toLowerCase() === TRUE }
}

/** Maximum response size. Only two short results are expected. */
const ANSWER_MAX_BYTES = 16 * 1024

async function postCalls(
  rpcUrl: string,
  calls: object[],
  send: typeof fetch,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const response = await send(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls),
      redirect: 'manual',
      signal,
    })
    const body = await readBoundedBody(response, ANSWER_MAX_BYTES)
    if (!body) throw new Error('the response is too long')
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return JSON.parse(new TextDecoder().decode(body))
  } catch (error) {
    // Includes only the error's name. The message of a `fetch` error may contain the URL, which may contain an API key.
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new GovernanceUnavailableError(reason, { cause: error })
  }
}
