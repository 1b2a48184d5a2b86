import type { ChainName } from '../../../shared/config/chain-settings.ts'
import type { FactoryContracts, TriggerRecord } from '../../../shared/wire/trigger.ts'
import { type Sleep, withTimeout } from '../../sleep.ts'
import type { Watcher } from '../watch/watcher.ts'

/** Timeout of the request to the watcher. If the watcher is slower, the record has no number of contracts. */
const WATCHER_MS = 2_000

type FactoryContractsOptions = {
  watcherOf: (chain: ChainName) => Pick<Watcher, 'factoryContracts'>
  sleep: Sleep
}

/** Adds the contracts that the watcher has learned to the record of an enabled trigger with a factory. */
export async function withFactoryContracts(
  record: TriggerRecord,
  { watcherOf, sleep }: FactoryContractsOptions,
): Promise<TriggerRecord> {
  const { id, config, enabled } = record
  if (!enabled || config.factory === undefined || config.factory === null) return record
  const learned = await learnedContracts(watcherOf(config.chain as ChainName), id, sleep)
  return learned ? { ...record, factory_contracts: learned } : record
}

async function learnedContracts(
  watcher: Pick<Watcher, 'factoryContracts'>,
  triggerId: string,
  sleep: Sleep,
): Promise<FactoryContracts | undefined> {
  try {
    const learned = await withTimeout(watcher.factoryContracts(triggerId), WATCHER_MS, sleep)
    return learned ? { count: learned.count, learning_at: learned.learningAt } : undefined
  } catch {
    return undefined
  }
}
