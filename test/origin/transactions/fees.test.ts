import { describe, expect, it } from 'vitest'
import {
  cancellationFees,
  clampFees,
  FeeMarket,
  marketFees,
  replacementFees,
} from '../../../origin/transactions/fees.ts'

const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) => ({
  maxFeePerGas,
  maxPriorityFeePerGas,
})

function marketWith(responses: Record<string, unknown>) {
  let calls = 0
  const market = new FeeMarket({
    provider: {
      send: async (method: string) => {
        calls++
        if (responses[method] === undefined) throw new Error('unsupported')
        return responses[method]
      },
    },
    baseFee: async () => 100n,
    monotonic: () => 0,
  })
  return { market, calls: () => calls }
}

describe('the market', () => {
  it('has the median of the tips at the percentile of each speed, without empty blocks', async () => {
    const reward = [
      ['0x1', '0x5', '0x9'],
      ['0x0', '0x0', '0x0'],
      ['0x2', '0x6', '0xa'],
      ['0x3', '0x7', '0xb'],
    ]
    const { market, calls } = marketWith({
      eth_feeHistory: { reward },
      eth_maxPriorityFeePerGas: '0x4',
    })
    expect((await market.current()).tips).toEqual({ cheap: 2n, normal: 6n, fast: 10n })
    await market.current()
    expect(calls()).toBe(2)
  })

  it('has the suggested tip if the history is missing, or all blocks are empty', async () => {
    const suggested = { cheap: 4n, normal: 4n, fast: 4n }
    const { market } = marketWith({ eth_maxPriorityFeePerGas: '0x4' })
    expect((await market.current()).tips).toEqual(suggested)
    const empty = marketWith({
      eth_feeHistory: { reward: [['0x0', '0x0', '0x0']] },
      eth_maxPriorityFeePerGas: '0x4',
    })
    expect((await empty.market.current()).tips).toEqual(suggested)
  })

  it('tips of a lying node: limits them to ten times the suggestion of the quorum', async () => {
    const { market } = marketWith({
      eth_feeHistory: { reward: [['0xffffff', '0xffffff', '0xffffff']] },
      eth_maxPriorityFeePerGas: '0x4',
    })
    expect((await market.current()).tips.fast).toBe(40n)
  })
})

describe('fees', () => {
  const market = { baseFee: 100n, tips: { cheap: 1n, normal: 2n, fast: 3n } }

  it('depend on the speed', () => {
    expect(marketFees(market, 'cheap')).toEqual(fees(126n, 1n))
    expect(marketFees(market, 'normal')).toEqual(fees(202n, 2n))
    expect(marketFees(market, 'fast')).toEqual(fees(203n, 3n))
  })

  it('never exceed the ceiling, and the tip never exceeds the fee', () => {
    expect(clampFees(fees(200n, 50n), undefined)).toEqual(fees(200n, 50n))
    expect(clampFees(fees(200n, 50n), 150n)).toEqual(fees(150n, 50n))
    expect(clampFees(fees(200n, 50n), 20n)).toEqual(fees(20n, 20n))
  })

  it('of a replacement are an eighth higher, or those of the market', () => {
    expect(replacementFees(fees(80n, 8n), fees(40n, 4n), undefined)).toEqual(fees(91n, 10n))
    expect(replacementFees(fees(80n, 8n), fees(200n, 20n), undefined)).toEqual(fees(200n, 20n))
    expect(replacementFees(fees(80n, 8n), fees(200n, 20n), 100n)).toEqual(fees(100n, 20n))
  })

  it('of a replacement are one wei or more on a chain without fees', () => {
    const free = fees(0n, 0n)
    expect(replacementFees(free, free, undefined)).toEqual(fees(1n, 1n))
    expect(
      cancellationFees(free, { baseFee: 0n, tips: { cheap: 0n, normal: 0n, fast: 0n } }, 'fast'),
    ).toEqual(fees(1n, 1n))
  })

  it('of a cancellation are an eighth higher, or what the next blocks require', () => {
    expect(cancellationFees(fees(202n, 2n), market, 'normal')).toEqual(fees(228n, 3n))
    expect(cancellationFees(fees(80n, 1n), market, 'normal')).toEqual(fees(127n, 2n))
    expect(cancellationFees(fees(80n, 1n), market, 'fast')).toEqual(fees(128n, 3n))
    expect(cancellationFees(fees(1_700n, 1n), market, 'normal')).toEqual(fees(1_913n, 2n))
    expect(cancellationFees(fees(1_800n, 1n), market, 'normal')).toBeUndefined()
  })

  it('of a replacement are undefined if the ceiling or ten times the market prevents the increase', () => {
    expect(replacementFees(fees(80n, 8n), fees(200n, 20n), 90n)).toBeUndefined()
    expect(replacementFees(fees(80n, 8n), fees(8n, 1n), undefined)).toBeUndefined()
  })
})
