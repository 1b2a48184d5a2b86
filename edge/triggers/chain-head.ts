import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { requireConfigured } from '../chain/chain-config.ts'
import type { ChainName, Chains } from '../chain/chain-settings.ts'
import { finalityOf } from '../chain/finality.ts'
import type { Watcher } from '../chain/watch/watcher.ts'
import type { Env } from '../env.ts'
import { sleep } from '../sleep.ts'
import { TriggerRefused } from './trigger-refused.ts'

/** Without the chain's head, the start block of a trigger cannot be determined. Nothing was stored. */
export class ChainUnavailable extends Error {
  override name = 'ChainUnavailable'
  readonly chain: ChainName
  constructor(chain: ChainName) {
    super(`${chain} is unavailable`)
    this.chain = chain
  }
}

/** The watcher tries several nodes, one after the other. */
const WAIT_MS = 15_000

/**
 * A new trigger starts after this block.
 * @throws {ChainUnavailable} if the head is not available in time
 * @throws {TriggerRefused} if the chain is not configured, or does not support the finality
 */
export async function chainHead(
  env: Env,
  chains: Chains,
  chain: ChainName,
  options: Pick<TriggerOptions, 'finality'>,
): Promise<number> {
  requireConfigured(chain, chains)
  const finality = finalityOf(options, chains[chain]!.finality)
  const watcher: Pick<Watcher, 'head'> = env.CHAIN_WATCHER.getByName(chain)
  const ended = new AbortController()
  const silent = sleep(WAIT_MS, ended.signal).then(() => ({ state: 'away' }) as const)
  try {
    const answer = await Promise.race([watcher.head(finality), silent])
    if (answer.state === 'known') return answer.head
    if (answer.state === 'away') throw new ChainUnavailable(chain)
    throw new TriggerRefused({ reason: answer.state, chain, finality: String(finality) })
  } finally {
    ended.abort()
  }
}
