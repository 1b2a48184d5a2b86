import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ContractChain, ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import {
  type JsonRpcProxy,
  lagging,
  replacedBy,
  type Reply,
  type Rule,
  slow,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { startChain } from '../chain.ts'
import { everythingIn } from './generated-events.ts'
import { type Mirrored, type MirrorUnderTest, startMirrored } from './mirrored.ts'

let world: Mirrored
let proxy: JsonRpcProxy
let chain: ContractChain
beforeAll(async () => {
  world = await startMirrored()
  proxy = await startJsonRpcProxy(world.rpcUrl)
  chain = await world.through(proxy.url)
  await world.send('evm_setAutomine', [true])
})
afterAll(async () => {
  chain.provider.destroy()
  await proxy.close()
  await world.close()
})
afterEach(() => world.closeMirrors())
beforeEach(() => proxy.use(undefined))

const has = ({ mirror }: MirrorUnderTest, hash: string) =>
  mirror.current().account(hash) !== undefined
/** A mirror that polls every 20 ms. */
const follower = () => world.mirror({ chain, pollMs: 20 })
const isStale = ({ mirror }: MirrorUnderTest) => {
  try {
    return !mirror.current()
  } catch (error) {
    return error instanceof ContractUnavailableError
  }
}

describe('behind a load balancer', () => {
  it('keeps its state behind a lagging node, but does not count it as fresh', async () => {
    const followed = await follower()
    const known = await world.newAccount()
    await expect.poll(() => has(followed, known)).toBe(true)
    proxy.use(lagging((await world.tip()) - 1))
    await sleep(60)
    expect(has(followed, known)).toBe(true)
    followed.clock.aheadMs = MIRROR_STALE_MS
    expect(isStale(followed)).toBe(true)
    await sleep(60)
    expect(isStale(followed)).toBe(true)
    proxy.use(undefined)
    await expect.poll(() => isStale(followed)).toBe(false)
    expect(has(followed, known)).toBe(true)
  })

  it('does not skip a write if one node reports the head and another has no logs yet', async () => {
    const followed = await follower()
    const behind = lagging(await world.tip())
    const rule: Rule = (calls, forward) =>
      calls.some(({ method }) => method === 'eth_getLogs') ? behind(calls, forward) : forward(calls)
    proxy.use(rule)
    const hash = await world.newAccount()
    await expect.poll(() => followed.failures.length, { timeout: 15_000 }).toBeGreaterThan(0)
    expect(has(followed, hash)).toBe(false)
    proxy.use(undefined)
    await expect.poll(() => has(followed, hash), { timeout: 15_000 }).toBe(true)
  })

  it('does not trust an empty response to a query by hash from a node without that block', async () => {
    const followed = await follower()
    const height = await world.tip()
    const lost: Rule = async (calls, forward) =>
      ((await lagging(height)(calls, forward)) as never[]).map((answer, n) =>
        calls[n]!.method === 'eth_getLogs' ? { result: [] } : answer,
      )
    proxy.use((calls, forward) =>
      calls.some(({ method }) => method === 'eth_getLogs') ? lost(calls, forward) : forward(calls),
    )
    const hash = await world.newAccount()
    await sleep(100)
    expect(followed.mirror.block).toBe(height)
    proxy.use(undefined)
    await expect.poll(() => has(followed, hash)).toBe(true)
  })

  it('holds each write once its block is synced, although nodes lag in turn', async () => {
    const followed = await world.mirror({ chain })
    let turn = 0
    proxy.use(async (calls, forward) => {
      const height = (await world.tip()) - [0, 1, 3, 0, 2][turn++ % 5]!
      return lagging(height)(calls, forward)
    })
    for (let n = 0; n < 20; n++) {
      const hash = await world.newAccount()
      await followed.mirror.syncTo(await world.tip())
      expect(has(followed, hash)).toBe(true)
    }
  })

  it('settles on the longer branch of a reorg that only some nodes report', async () => {
    const followed = await follower()
    const lost = await world.newAccount()
    await expect.poll(() => has(followed, lost)).toBe(true)
    const height = await world.tip()
    await world.send('anvil_reorg', [1, []])
    const instead = await world.newAccount()
    let turn = 0
    proxy.use((calls, forward) =>
      turn++ % 5 < 3 ? forward(calls) : lagging(height - 1)(calls, forward),
    )
    await expect.poll(() => has(followed, instead), { timeout: 5_000 }).toBe(true)
    expect(has(followed, lost)).toBe(false)
  })
})

describe('a failing poll', () => {
  const failures: Record<string, Reply | Rule> = {
    'a connection that is cut': 'cut',
    'a node that limits its callers': { status: 429, body: 'slow down' },
    'a proxy that has no node': { status: 502, body: '<html>Bad gateway</html>' },
    'a page in place of an answer': { status: 200, body: '<html>Welcome</html>' },
    'one error for the whole batch': {
      status: 200,
      body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"overloaded"}}',
    },
    'an empty batch': { status: 200, body: '[]' },
    'an error in each answer': (calls) =>
      calls.map(() => ({ error: { code: -32_005, message: 'limit exceeded' } })),
    'null in each answer': (calls) => calls.map(() => ({ result: null })),
    'an empty object in each answer': (calls) => calls.map(() => ({ result: {} })),
    'the wrong block': async (calls, forward) => {
      const zeroth = calls.map((call) => ({ ...call, params: ['0x0', false] }))
      return forward(zeroth)
    },
  }
  for (const [what, reply] of Object.entries(failures)) {
    it(`${what}: keeps the state until it is stale, then throws ChainUnavailable, then recovers`, async () => {
      const followed = await follower()
      const before = everythingIn(followed.mirror.current())
      proxy.use(typeof reply === 'function' ? reply : () => reply)
      await world.newAccount()
      await sleep(80)
      expect(everythingIn(followed.mirror.current())).toEqual(before)
      followed.clock.aheadMs = MIRROR_STALE_MS
      expect(isStale(followed)).toBe(true)
      proxy.use(undefined)
      await expect.poll(() => isStale(followed)).toBe(false)
      expect(everythingIn(followed.mirror.current())).not.toEqual(before)
    })
  }

  it('does not stop a mirror from following a slow chain', async () => {
    const followed = await follower()
    proxy.use(slow(150))
    const hash = await world.newAccount()
    await expect.poll(() => has(followed, hash), { timeout: 3_000 }).toBe(true)
  })

  it('swapped chain: is not fresh if the chain ends before the contract’s block', async () => {
    const followed = await follower()
    proxy.use(lagging(0))
    followed.clock.aheadMs = MIRROR_STALE_MS
    await sleep(100)
    expect(isStale(followed)).toBe(true)
  })

  it('swapped chain: keeps the state and goes stale on a chain without the contract', async () => {
    const followed = await follower()
    const known = await world.newAccount()
    await expect.poll(() => has(followed, known)).toBe(true)
    const other = await startChain()
    try {
      const control = await world.through(other.rpcUrl)
      await control.provider.send('anvil_mine', ['0x200'])
      control.provider.destroy()
      proxy.use(replacedBy(other.rpcUrl))
      await expect.poll(() => followed.failures.length).toBeGreaterThan(2)
      expect(has(followed, known)).toBe(true)
      followed.clock.aheadMs = MIRROR_STALE_MS
      await sleep(100)
      expect(isStale(followed)).toBe(true)
    } finally {
      await other.close()
    }
  })
})

describe('a mirror that is far behind', () => {
  const far = async () => {
    const hashes: string[] = []
    for (let n = 0; n < 4; n++) {
      hashes.push(await world.newAccount())
      await world.send('anvil_mine', ['0x30'])
    }
    return hashes
  }

  it('reads in ranges as long as the provider allows', async () => {
    const hashes = await far()
    proxy.use(async (calls, forward) =>
      (await forward(calls)).map((answer, n) => {
        const [filter] = calls[n]!.params
        const length = Number(filter?.toBlock) - Number(filter?.fromBlock)
        if (!(length > 40)) return answer
        return { error: { code: -32_005, message: 'range too wide' } }
      }),
    )
    const started = await world.mirror({ chain })
    expect(hashes.every((hash) => has(started, hash))).toBe(true)
    expect(everythingIn(started.mirror.current())).toEqual(
      everythingIn((await world.mirror()).mirror.current()),
    )
  })

  it('resumes where it stopped after a provider failure', async () => {
    const hashes = await far()
    let asked = 0
    proxy.use((calls, forward) => (++asked > 4 ? { status: 503, body: '' } : forward(calls)))
    const begun = await world.mirror({ chain, start: false })
    await expect(begun.mirror.start()).rejects.toBeInstanceOf(ContractUnavailableError)
    proxy.use(undefined)
    await begun.mirror.start()
    expect(hashes.every((hash) => has(begun, hash))).toBe(true)
  })

  it('does not trust a node that does not have the whole range', async () => {
    const [first] = await far()
    const behind = lagging((await world.tip()) - 100)
    proxy.use((calls, forward) =>
      calls.some(({ method }) => method === 'eth_getLogs')
        ? behind(calls, forward)
        : forward(calls),
    )
    const begun = await world.mirror({ chain, start: false })
    await expect(begun.mirror.start()).rejects.toBeInstanceOf(ContractUnavailableError)
    proxy.use(undefined)
    await begun.mirror.start()
    expect(has(begun, first!)).toBe(true)
  })

  it('resumes from its last block after a long time', async () => {
    const followed = await world.mirror({ chain })
    const hashes = await far()
    await followed.mirror.syncTo(await world.tip())
    expect(hashes.every((hash) => has(followed, hash))).toBe(true)
    expect(followed.failures).toEqual([])
  })
})

describe('the cost of a poll', () => {
  const cost = async (of: () => Promise<unknown>) => {
    const before = proxy.seen()
    await of()
    const after = proxy.seen()
    return {
      requests: after.requests - before.requests,
      methods: after.methods.slice(before.methods.length),
    }
  }

  it('is one request for the block of a write', async () => {
    const { mirror } = await world.mirror({ chain })
    for (let n = 0; n < 3; n++) await world.newAccount()
    const tip = await world.tip()
    expect((await cost(() => mirror.syncTo(tip))).requests).toBe(1)
    expect(mirror.block).toBe(tip)
  })

  it('includes no log query for blocks without contract events', async () => {
    const followed = await world.mirror({ chain, pollMs: 30 })
    const before = followed.mirror.block
    const { methods } = await cost(async () => {
      await world.send('anvil_mine', ['0x5'])
      await expect.poll(() => followed.mirror.block).toBe(before + 5)
    })
    expect(new Set(methods)).toEqual(new Set(['eth_getBlockByNumber']))
  })
})
