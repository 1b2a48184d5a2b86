import { BLOCKS_EVERY_MAX, BLOCKS_EVERY_MIN } from '../../shared/limits.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import { TriggerRejectedError } from '../triggers/trigger-rejected-error.ts'
import { intervalFilter, type IntervalFilter } from './block-mark.ts'
import { readChain, readStartBlock } from './chain-event-config.ts'

export type BlockIntervalConfig = {
  chain: ChainName
  filter: IntervalFilter
  startBlock: number | null
}

const KEYS = ['chain', 'blocks', 'start_block']

/**
 * @param config its `blocks` is set
 * @throws {TriggerRejectedError} if a key is invalid; the error names the first such key
 */
export function readBlockIntervalConfig(config: Record<string, unknown>): BlockIntervalConfig {
  for (const key of Object.keys(config))
    if (!KEYS.includes(key))
      refuse(
        key.slice(0, 64),
        'cannot be combined with blocks',
        `Omit it: a chain_event on blocks has ${KEYS.join(', ')}.`,
      )
  const chain = readChain(config.chain)
  const every = readEvery(config.blocks, chain)
  return { chain, filter: intervalFilter(every), startBlock: readStartBlock(config.start_block) }
}

function readEvery(blocks: unknown, chain: ChainName): number {
  const fix = 'Send {"every": n}, for a run at each block whose number is divisible by n.'
  if (typeof blocks !== 'object' || blocks === null || Array.isArray(blocks))
    return refuse('blocks', 'expected an object', fix)
  const other = Object.keys(blocks).find((key) => key !== 'every')
  if (other !== undefined) refuse(`blocks.${other.slice(0, 64)}`, 'unknown field', fix)
  const every: unknown = Reflect.get(blocks, 'every')
  if (every === undefined) return refuse('blocks.every', 'required', fix)
  const min = BLOCKS_EVERY_MIN[chain]
  if (typeof every !== 'number' || !Number.isInteger(every))
    return refuse('blocks.every', 'expected an integer', fix)
  if (every < min || every > BLOCKS_EVERY_MAX)
    return refuse(
      'blocks.every',
      `${every} blocks`,
      `Send ${min} to ${BLOCKS_EVERY_MAX} on ${chain}.`,
    )
  return every
}

function refuse(key: string, problem: string, fix: string): never {
  throw new TriggerRejectedError({ reason: 'field', field: `config.${key}`, problem, fix })
}
