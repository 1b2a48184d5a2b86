/** A factory of pools on a scripted chain, and a trigger on the pools that it creates. */
import { readChainConfig } from '../../../edge/chain/chain-config.ts'
import { EVENT, hex, someLog } from './watched-chain.ts'

export const START = { firstBlock: 1_000 }
export const FACTORY = hex(20, 0xfac)
export const CREATED =
  'PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)'
export const pool = (at: number) => hex(20, 0xb0000 + at)

export const CONFIG = {
  chain: 'ethereum',
  event_signature: 'Swapped(uint256 value)',
  factory: { address: FACTORY, event: CREATED, parameter: 'pool' },
}
export const { filter: FILTER } = readChainConfig(CONFIG)
export const factory = FILTER.factory!
export const on = (learnFrom?: number) => ({
  filter: { ...FILTER, topic0: EVENT },
  ...(learnFrom !== undefined && { learnFrom }),
})

/** Log by which the factory names a pool. */
export const creates = (at: number, from = FACTORY) => ({
  address: from,
  topics: [factory.topic0, hex(32, 1), hex(32, 2), hex(32, 500)],
  data: `${hex(32, 60)}${hex(32, pool(at).slice(2)).slice(2)}`,
})
export const swap = (at: number, data: number) => someLog(data, { address: pool(at) })
