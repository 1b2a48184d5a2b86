import type { FilterReader, LogReader } from '../backfill/log-reader.ts'
import type { RangeSize } from '../backfill/range-size.ts'
import type { ChainLog } from '../chain-log.ts'
import { packAddresses } from '../matching/address-list.ts'
import { type LogFilter, toLogQuery } from '../matching/log-filter.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import { ChainUnreachableError } from '../../../shared/rpc/chain-read-errors.ts'
import { createdContracts, creationFilter } from './created-contracts.ts'
import type { FactoryFilter } from './factory-filter.ts'
import { type LearnedContract, LearnedContracts } from './learned-contracts.ts'

/** Requests for logs in blocks that were read before the creation of their contracts, for one preview. */
const LATER_REQUESTS_MAX = 12

/**
 * Returns a reader for previews, which search backward. It finds the logs of contracts that were created in the blocks
 * that it has read, including logs in later blocks that were read before the creation.
 */
export function factoryReader(
  plain: LogFilter,
  factory: FactoryFilter,
  { chain, size }: { chain: LogReader; size: RangeSize },
): FilterReader {
  const filter = { ...plain, learned: new LearnedContracts() }
  let known: readonly LearnedContract[] = []
  const creations = toLogQuery(creationFilter(factory))
  let newest: number | undefined
  let laterRequests = 0

  /** Contracts of earlier blocks come first, because a contract counts from the first log that names it. */
  function learn(creationLogs: readonly ChainLog[]): string[] {
    const created = createdContracts(factory, creationLogs)
    known = [...created, ...known]
    filter.learned = new LearnedContracts()
    filter.learned.add(known)
    return created.map(({ address }) => address)
  }

  async function laterLogs(
    addresses: readonly string[],
    first: number,
    priority: ReadPriority,
  ): Promise<ChainLog[]> {
    if (addresses.length === 0) return []
    const query = toLogQuery({ ...plain, addresses: packAddresses(addresses) })
    const logs: ChainLog[] = []
    // A node may accept only small ranges now, although it accepted large ones for the later blocks.
    laterRequests += Math.ceil((newest! - first + 1) / size.blocks)
    if (laterRequests > LATER_REQUESTS_MAX)
      throw new ChainUnreachableError('the preview needs too many requests')
    for (let from = first; from <= newest!; from += size.blocks)
      logs.push(
        ...(await chain.logs(query, from, Math.min(newest!, from + size.blocks - 1), priority)),
      )
    return logs
  }

  return {
    chain: {
      logs: async (_, from, to, priority) => {
        newest ??= to
        const created = learn(await chain.logs(creations, from, to, priority))
        if (known.length === 0) return []
        const logs = await chain.logs(toLogQuery(filter), from, to, priority)
        return [...logs, ...(await laterLogs(created, to + 1, priority))]
      },
      logsOfBlock: async (_, header) => {
        learn(await chain.logsOfBlock(creations, header))
        return known.length === 0 ? [] : chain.logsOfBlock(toLogQuery(filter), header)
      },
      headersOf: (numbers, priority) => chain.headersOf(numbers, priority),
    },
    size,
    query: creations,
    filter,
  }
}
