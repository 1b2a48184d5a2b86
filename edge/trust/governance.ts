/** What the governance contract says of a compose hash (`core-api.md`, Attestation and evidence endpoints, rule 7). */
import { z } from 'zod'

/** The contract could not be asked: nothing is known. */
export class GovernanceAway extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the governance contract could not be asked: ${reason}`, options)
    this.name = 'GovernanceAway'
  }
}

export type Governance = { chain_id: number; allowed: boolean }

/** First bytes of Keccak-256 of `allowedComposeHashes(bytes32)`. */
const ALLOWED_COMPOSE_HASHES = '0x2f6622e5'
/** `true` as the ABI has it: a word that is one. Whatever else an address answers is no permission. */
const TRUE = `0x${'1'.padStart(64, '0')}`

const answersSchema = z.array(
  z.object({ id: z.int(), result: z.string().regex(/^0x[0-9a-f]*$/i) }).loose(),
)

/**
 * Asks the contract at an application's id.
 * @param appId hex of 20 bytes
 * @param composeHash hex of 32 bytes
 * @throws {GovernanceAway}
 */
export async function askGovernance(
  { rpcUrl, appId, composeHash }: { rpcUrl: string; appId: string; composeHash: string },
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Governance> {
  const call = { to: `0x${appId}`, data: `${ALLOWED_COMPOSE_HASHES}${composeHash}` }
  const asked = [
    { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] },
    { jsonrpc: '2.0', id: 2, method: 'eth_call', params: [call, 'latest'] },
  ]
  const answers = answersSchema.safeParse(await ask(rpcUrl, asked, send, signal))
  const resultOf = (id: number) => answers.data?.find((answer) => answer.id === id)?.result
  const [chainId, allowed] = [resultOf(1), resultOf(2)]
  if (chainId === undefined || allowed === undefined)
    throw new GovernanceAway('the node gave no result')
  return { chain_id: Number(chainId), allowed: allowed.toLowerCase() === TRUE }
}

/** Two short answers: a node that sends more is none. */
const ANSWER_MAX_CHARACTERS = 16 * 1024

async function ask(
  rpcUrl: string,
  asked: object[],
  send: typeof fetch,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const response = await send(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      redirect: 'manual',
      signal,
    })
    const text = await startOf(response)
    if (response.status !== 200) throw new Error(`status ${response.status}`)
    return JSON.parse(text)
  } catch (error) {
    // Its URL may have a key in it, and messages of `fetch` may have the URL.
    const reason = error instanceof Error ? error.name : 'unknown'
    throw new GovernanceAway(reason, { cause: error })
  }
}

async function startOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > ANSWER_MAX_CHARACTERS) throw new Error('the answer is too long')
  }
  return text
}
