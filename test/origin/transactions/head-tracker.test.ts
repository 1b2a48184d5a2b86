import { expect, it } from 'vitest'
import { HeadTracker } from '../../../origin/transactions/head-tracker.ts'

const HEADER = {
  number: '0x1',
  hash: '0xaa',
  parentHash: '0xbb',
  baseFeePerGas: '0x1',
  gasLimit: '0x1',
  transactions: [],
}

it('flood of the log: reports an outage once, however often polls fail', async () => {
  const failures: unknown[] = []
  let [polls, isDown] = [0, true]
  const heads = new HeadTracker({
    provider: {
      send: async (method: string) => {
        if (method === 'eth_blockNumber') polls++
        if (isDown) throw new Error('down')
        return method === 'eth_blockNumber' ? HEADER.number : HEADER
      },
    },
    pollMs: 2,
    monotonic: () => performance.now(),
    demand: () => ({ unminedLanes: 1, hasMined: false }),
    onChange: () => {},
    onFailure: (error) => failures.push(error),
  })
  const pollsMore = async () => {
    const from = polls
    await expect.poll(() => polls).toBeGreaterThan(from + 5)
  }
  try {
    heads.wake()
    await pollsMore()
    expect(failures).toHaveLength(1)
    isDown = false
    await pollsMore()
    expect(heads.head).toMatchObject({ number: 1, hash: '0xaa' })
    isDown = true
    await pollsMore()
    expect(failures).toHaveLength(2)
  } finally {
    await heads.close()
  }
})
