/** Attempts to make a preview of a factory's contracts cost more requests than other previews. */
import { expect, it } from 'vitest'
import { RangeSize } from '../../../edge/chain/backfill/range-size.ts'
import { RecentLogSearch } from '../../../edge/chain/backfill/recent-log-search.ts'
import type { ChainLog } from '../../../edge/chain/chain-log.ts'
import type { LogQuery } from '../../../edge/chain/matching/log-filter.ts'
import type { ChainReader } from '../../../edge/chain/rpc/chain-reader.ts'
import { RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import { creates, FACTORY, FILTER } from './some-factory.ts'
import { hex } from './watched-chain.ts'

const HEAD = 1_000_000

/** The first seven ranges of a search, which double from 100 blocks on. */
const WIDE_FROM = HEAD - 12_700 + 1

it('ATTACK: a preview sends few requests, although the node accepts only small ranges of old blocks', async () => {
  let requests = 0
  const logs = async ({ addresses }: LogQuery, from: number, to: number): Promise<ChainLog[]> => {
    requests++
    const isOld = from < WIDE_FROM
    if (isOld && to > from + 10) throw new RangeRejectedError(10)
    if (!isOld || addresses?.[0] !== FACTORY) return []
    const creation = {
      ...creates(requests),
      blockNumber: from,
      logIndex: 0,
      blockHash: hex(32, from),
    }
    return [creation as ChainLog]
  }
  const reader = { logs } as unknown as ChainReader
  const search = new RecentLogSearch(reader, new RangeSize(100_000), () => new Promise(() => {}))
  const { state, searched } = (await search.find(FILTER, HEAD, 10)) as {
    state: string
    searched: { from: number }
  }
  expect(state).toBe('found')
  // The logs of contracts that were created below this block are not complete.
  expect(searched.from).toBe(WIDE_FROM)
  expect(requests).toBeLessThan(40)
})
