import { defineAction, type ScheduleParams } from '@svc-run/cli/action'
import { median, spread } from './median'

const SYMBOL = 'ETH/USD'
const DECIMALS = 8
/** The highest difference between sources, in hundredths of a percent of the median. */
const SPREAD_MAX = 200

/** The members of the response that lead to the price. The sources are part of the code, so a caller cannot choose them. */
const SOURCES: Record<string, readonly string[]> = {
  'https://api.coinbase.com/v2/prices/ETH-USD/spot': ['data', 'amount'],
  'https://api.kraken.com/0/public/Ticker?pair=ETHUSD': ['result', 'XETHZUSD', 'c', '0'],
  'https://www.bitstamp.net/api/v2/ticker/ethusd/': ['last'],
}

/** Signs the median of the sources that respond. At least two must respond, and agree. */
export default defineAction(async ({ wallet }: ScheduleParams<{ wallet: string }>) => {
  const found = await Promise.all(
    Object.entries(SOURCES).map(([url, path]) => priceOf(url, path).catch(() => undefined)),
  )
  const prices = found.filter((price) => price !== undefined)
  if (prices.length < 2)
    throw new Error(`only ${prices.length} of ${found.length} sources responded`)
  if (spread(prices) > SPREAD_MAX) throw new Error('the sources differ by more than 2%')
  const value = {
    symbol: SYMBOL,
    price: median(prices).toString(),
    updatedAt: Math.floor(Date.now() / 1000),
  }
  const signature = await Svc.Actions.signTypedData({
    pkpId: wallet,
    domain: { name: 'Price feed', version: '1', chainId: 8453 },
    types: {
      Price: [
        { name: 'symbol', type: 'string' },
        { name: 'price', type: 'uint256' },
        { name: 'updatedAt', type: 'uint256' },
      ],
    },
    value,
  })
  return { ...value, signature }
})

async function priceOf(url: string, path: readonly string[]): Promise<bigint> {
  const response = await fetch(url, { signal: AbortSignal.timeout(10_000) })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
  const body: unknown = await response.json()
  const price = Number(path.reduce((value, name) => Object(value)[name] as unknown, body))
  if (!(price > 0)) throw new Error(`${url} has no price`)
  return ethers.utils.parseUnits(price.toFixed(DECIMALS), DECIMALS).toBigInt()
}
