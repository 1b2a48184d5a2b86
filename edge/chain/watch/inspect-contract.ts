import type { ChainLog } from '../chain-log.ts'
import type { ChainReader, ContractReader } from '../rpc/chain-reader.ts'
import { RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import type { BlockRange } from '../subscription.ts'
import type { Watcher } from './watcher.ts'

/**
 * Range sizes to try, in blocks. Large ranges suit quiet contracts; small ranges suit busy contracts and limited plans.
 */
const RANGE_SIZES = [2_000, 100, 5]

/**
 * Returns whether an address has code, and which events its contract recently emitted. Sends at most three requests for
 * logs. `events` is null if the logs could not be read.
 */
export async function inspectContract(
  reader: Pick<ChainReader, 'logs'> & ContractReader,
  address: string,
  within: BlockRange,
): ReturnType<Watcher['contractAt']> {
  const looking = eventsOf(reader, address, within).catch(() => null)
  try {
    const hasCode = await reader.hasCode(address)
    return { state: 'known', hasCode, events: await looking }
  } catch {
    return { state: 'away' }
  }
}

async function eventsOf(
  reader: Pick<ChainReader, 'logs'>,
  address: string,
  { from, to }: BlockRange,
): Promise<string[] | null> {
  for (const blocks of RANGE_SIZES) {
    try {
      const begin = Math.max(from, to - blocks + 1)
      const query = { addresses: [address], topics: [] }
      return firstTopics(await reader.logs(query, begin, to, 'backfill'))
    } catch (error) {
      if (!(error instanceof RangeRejectedError)) throw error
    }
  }
  return null
}

const firstTopics = (logs: readonly ChainLog[]) => [
  ...new Set(logs.flatMap(({ topics }) => topics.slice(0, 1)).toReversed()),
]
