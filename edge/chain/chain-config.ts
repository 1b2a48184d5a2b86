import { CHAIN_NAMES, type ChainName, type Chains } from '../../shared/config/chain-settings.ts'
import { TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { type BlockIntervalConfig, readBlockIntervalConfig } from './block-interval-config.ts'
import { type ChainEventConfig, readChainEventConfig } from './chain-event-config.ts'
import { isInterval } from './block-mark.ts'
import { filterAddresses } from './matching/log-filter.ts'
import { readTransactionsConfig, type TransactionsConfig } from './transactions-config.ts'

/** Config of a trigger of kind `chain_event`: logs of an event, blocks, or transactions. */
export type ChainConfig = ChainEventConfig | BlockIntervalConfig | TransactionsConfig

/** @throws {TriggerRejectedError} if a key is invalid; the error names the first such key */
export function readChainConfig(config: Record<string, unknown>): ChainConfig {
  if (config.blocks !== undefined) return readBlockIntervalConfig(config)
  if (config.transactions !== undefined) return readTransactionsConfig(config)
  return readChainEventConfig(config)
}

export function isOnLogs(config: ChainConfig): config is ChainEventConfig {
  return 'signature' in config
}

export function isOnBlocks(config: ChainConfig): config is BlockIntervalConfig {
  return isInterval(config.filter)
}

/**
 * Rejects a chain that the deployment does not watch, because a trigger for it would never fire.
 * @throws {TriggerRejectedError}
 */
export function requireConfiguredChain(chain: ChainName, chains: Chains): void {
  if (chains[chain]) return
  const configured = CHAIN_NAMES.filter((name) => chains[name])
  throw new TriggerRejectedError({ reason: 'chain_not_configured', chain, configured })
}

/** Returns true if two configurations match the same events, so that the trigger can keep its position in the chain. */
export function watchesSameEvents(one: ChainConfig, other: ChainConfig): boolean {
  const watched = ({ chain, filter, startBlock }: ChainConfig) =>
    JSON.stringify([
      chain,
      filter.address ?? [...filterAddresses(filter)],
      filter.topic0,
      filter.factory ?? null,
      filter.topics,
      startBlock,
      filter.where ?? null,
      filter.every ?? null,
      filter.transactions ?? null,
    ])
  return watched(one) === watched(other)
}
