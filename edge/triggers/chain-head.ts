import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { requireConfiguredChain } from '../chain/chain-config.ts'
import type { ChainName, Chains } from '../../shared/config/chain-settings.ts'
import { resolveFinality } from '../chain/finality.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type { Env } from '../env.ts'
import { withTimeout } from '../sleep.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'

/** The head of a chain is unavailable, so the start block of a trigger cannot be determined. Nothing was stored. */
export class TriggerChainUnavailableError extends Error {
  override name = 'TriggerChainUnavailableError'
  readonly chain: ChainName
  constructor(chain: ChainName) {
    super(`${chain} is unavailable`)
    this.chain = chain
  }
}

/** Timeout of a request to the watcher, which may try several nodes one after the other. */
const WAIT_MS = 15_000

/**
 * Returns the chain's head, after which the subscription of a new trigger starts.
 * @throws {TriggerChainUnavailableError} if the head is not available in time
 * @throws {TriggerRejectedError} if the chain is not configured, or does not support the finality
 */
export async function requireChainHead(
  env: Env,
  chains: Chains,
  chain: ChainName,
  options: Pick<TriggerOptions, 'finality'>,
): Promise<number> {
  requireConfiguredChain(chain, chains)
  const finality = resolveFinality(options, chains[chain]!.finality)
  const watcher: Pick<Watcher, 'head'> = env.CHAIN_WATCHER.getByName(chain)
  const answer = await withTimeout(watcher.head(finality), WAIT_MS)
  if (!answer || answer.state === 'away') throw new TriggerChainUnavailableError(chain)
  if (answer.state === 'known') return answer.head
  throw new TriggerRejectedError({ reason: answer.state, chain, finality: String(finality) })
}
