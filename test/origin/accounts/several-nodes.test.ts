/** The mirror and wallet proofs over several nodes of a chain, of which one or more fail, lag or lie. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  concat,
  id,
  JsonRpcProvider,
  NonceManager,
  type Signer,
  toBeHex,
  toQuantity,
  Wallet,
  ZeroAddress,
} from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  accountConfig,
  connectChain,
  type ContractChain,
  ContractUnavailableError,
} from '../../../origin/accounts/chain.ts'
import { WalletProofs } from '../../../origin/accounts/wallet-proofs/wallet-proofs.ts'
import { typedDataOf } from '../../../shared/crypto/typed-data.ts'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import { deployOwnedWallet } from '../../doubles/contract-wallets/deploy.ts'
import {
  down,
  frozen,
  type JsonRpcProxy,
  lagging,
  lying,
  type RpcCall,
  type Rule,
  slow,
  startJsonRpcProxy,
} from '../../doubles/json-rpc-proxy.ts'
import { fundedKey } from '../chain.ts'
import { grants, type Mirrored, type MirrorUnderTest, newHash, startMirrored } from './mirrored.ts'

let world: Mirrored
let nodes: JsonRpcProxy[]
beforeAll(async () => {
  world = await startMirrored()
  await world.send('evm_setAutomine', [true])
  nodes = await Promise.all([1, 2, 3].map(() => startJsonRpcProxy(world.rpcUrl)))
})
afterAll(async () => {
  await world.close()
  for (const node of nodes) await node.close()
})

const opened: ContractChain[] = []
afterEach(async () => {
  await world.closeMirrors()
  for (const node of nodes) node.use(undefined)
  for (const chain of opened.splice(0)) chain.provider.destroy()
})

/** Connects to the chain through the first nodes, and follows it with a mirror. */
async function follow(count: number) {
  const logged: { event: string; endpoint: unknown }[] = []
  const chain = await connectChain(
    nodes.slice(0, count).map(({ url }) => url),
    { address: world.chain.contractAddress, block: world.chain.contractBlock },
    { log: (event, facts) => logged.push({ event, endpoint: facts['endpoint'] }) },
  )
  opened.push(chain)
  const followed = await world.mirror({ chain, pollMs: 20 })
  const statusOf = (place: number) => chain.nodes.status()[place]!
  return {
    ...followed,
    chain,
    logged,
    statusOf,
    liesOf: (place: number) =>
      [...statusOf(place).disagreements.values()].reduce((sum, lies) => sum + lies, 0),
  }
}

const has = ({ mirror }: MirrorUnderTest, hash: string) =>
  mirror.current().principal(hash) !== undefined
const isRefused = ({ mirror }: MirrorUnderTest) => {
  try {
    return !mirror.current()
  } catch (error) {
    return error instanceof ContractUnavailableError
  }
}
/** Polls for longer than any recovery takes. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 90_000 })

/** Lets a minute pass for the mirror, and requires that it serves reads all the time. */
async function passMinute(followed: MirrorUnderTest) {
  const step = MIRROR_STALE_MS - 10_000
  for (let passed = 0; passed < 60_000; passed += step) {
    followed.clock.aheadMs += step
    followed.mirror.current()
    await soon(() => followed.mirror.ageMs).toBeLessThan(step / 2)
  }
}

const FAULTS: Record<string, Rule> = {
  'is frozen': frozen,
  'drops connections': down,
  'limits its callers': () => ({ status: 429, body: 'slow down' }),
  'fails internally': () => ({ status: 500, body: '' }),
  'answers with a page': () => ({ status: 200, body: '<html>Welcome</html>' }),
  'answers each call with an error': (calls) =>
    calls.map(() => ({ error: { code: -32_603, message: 'internal error' } })),
}

describe('one of three nodes', () => {
  it.each(Object.keys(FAULTS))('that %s for a minute causes no 503', async (fault) => {
    const followed = await follow(3)
    nodes[0]!.use(FAULTS[fault])
    await passMinute(followed)
    const hash = await world.newAccount()
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, hash)).toBe(true)
    await soon(() => followed.statusOf(0)).toMatchObject({ isUp: false })
    expect(followed.statusOf(0).failures).toBeGreaterThan(0)
    expect([followed.statusOf(1).isUp, followed.statusOf(2).isUp]).toEqual([true, true])
  })

  it('that is frozen from the start does not prevent a start', async () => {
    nodes[1]!.use(frozen)
    const hash = await world.newAccount()
    expect(has(await follow(3), hash)).toBe(true)
  })

  it('is used again once it comes back', async () => {
    const followed = await follow(3)
    nodes[0]!.use(frozen)
    await soon(() => followed.statusOf(0).isUp).toBe(false)
    nodes[0]!.use(undefined)
    await soon(() => followed.statusOf(0).isUp).toBe(true)
    const own = followed.logged.filter(({ endpoint }) => endpoint === 0).map(({ event }) => event)
    expect([own[0], own.at(-1)]).toEqual(['rpc.out', 'rpc.back'])
    // The quorum depends on it now.
    nodes[1]!.use(down)
    const hash = await world.newAccount()
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, hash)).toBe(true)
  })

  it('may lag by some blocks, which counts as neither a failure nor a disagreement', async () => {
    const followed = await follow(3)
    nodes[0]!.use(lagging(await world.tip()))
    const hash = await world.newAccount()
    await world.send('anvil_mine', ['0x2'])
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, hash)).toBe(true)
    await soon(() => followed.statusOf(0).lagBlocks).toBe(3)
    expect(followed.statusOf(0)).toMatchObject({ isUp: true, failures: 0 })
    expect(followed.liesOf(0)).toBe(0)
  })
})

describe('the highest block of a quorum', () => {
  it('is followed if the other node is ahead, and its block once a second node has it', async () => {
    const followed = await follow(3)
    const height = await world.tip()
    nodes[1]!.use(lagging(height))
    nodes[2]!.use(lagging(height - 1))
    const hash = await world.newAccount()
    await sleep(100)
    expect(followed.mirror.block).toBe(height)
    expect(has(followed, hash)).toBe(false)
    nodes[2]!.use(undefined)
    await soon(() => has(followed, hash)).toBe(true)
  })

  it('is followed across a reorganization that one node does not follow', async () => {
    const followed = await follow(3)
    const lost = await world.newAccount()
    await soon(() => has(followed, lost)).toBe(true)
    const old = await world.send('eth_getBlockByNumber', ['latest', false])
    nodes[0]!.use(
      lying(({ method, params }, result) =>
        method === 'eth_getBlockByNumber' &&
        Number(result?.number) === Number(old.number) &&
        params[1] === false
          ? old
          : result,
      ),
    )
    await world.send('anvil_reorg', [1, []])
    await soon(() => has(followed, lost)).toBe(false)
    await soon(() => followed.statusOf(0).disagreements.get('block')).toBeGreaterThan(0)
  })
})

/** A log by which the attacker's key becomes a key of the victim's account. */
function forgedLog(victim: string, attacker: string, block: { number: string; hash: string }) {
  return {
    ...accountConfig.encodeEventLog('AliasSet', [victim, attacker, ZeroAddress]),
    address: world.chain.contractAddress,
    blockNumber: block.number,
    blockHash: block.hash,
    transactionHash: id('forged'),
    transactionIndex: '0xff',
    logIndex: '0xff',
    removed: false,
  }
}
/** Bloom filter that may contain everything. */
const FULL_BLOOM = `0x${'f'.repeat(512)}`
const isHeader = ({ method }: RpcCall) => method.startsWith('eth_getBlockBy')

describe('a lying node', () => {
  const attacked = async () => {
    const followed = await follow(3)
    const [victim, attacker] = [await world.newAccount(), newHash()]
    await soon(() => has(followed, victim)).toBe(true)
    return { followed, victim, attacker }
  }
  const requireCaught = async (followed: Awaited<ReturnType<typeof follow>>) => {
    await soon(() => followed.liesOf(0)).toBeGreaterThan(0)
    expect([followed.liesOf(1), followed.liesOf(2)]).toEqual([0, 0])
    const disagreements = followed.logged.filter(({ event }) => event === 'rpc.disagrees')
    expect(disagreements).toEqual([{ event: 'rpc.disagrees', endpoint: 0 }])
  }

  it('forged log: grants nothing with a log that it adds to a block', async () => {
    const { followed, victim, attacker } = await attacked()
    nodes[0]!.use(async (calls, forward) => {
      const head = await world.send('eth_getBlockByNumber', ['latest', false])
      return lying(({ method }, result) =>
        method === 'eth_getLogs' ? [...(result ?? []), forgedLog(victim, attacker, head)] : result,
      )(calls, forward)
    })
    const other = await world.newAccount()
    await followed.mirror.syncTo(await world.tip())
    await requireCaught(followed)
    expect([has(followed, other), has(followed, attacker)]).toEqual([true, false])
    expect(followed.statusOf(0).disagreements.get('contents')).toBeGreaterThan(0)
  })

  it('forged log: grants nothing with a log in a block without events', async () => {
    const { followed, victim, attacker } = await attacked()
    nodes[0]!.use(async (calls, forward) => {
      const head = await world.send('eth_getBlockByNumber', ['latest', false])
      return lying((call, result) => {
        if (call.method === 'eth_getLogs') return [forgedLog(victim, attacker, head)]
        return isHeader(call) && result ? { ...result, logsBloom: FULL_BLOOM } : result
      })(calls, forward)
    })
    await world.send('anvil_mine', ['0x1'])
    await followed.mirror.syncTo(await world.tip())
    await requireCaught(followed)
    expect(has(followed, attacker)).toBe(false)
  })

  it('forged block: grants nothing with a block that it invents', async () => {
    const { followed, victim, attacker } = await attacked()
    const forgeBlockAfter = (tip: number) =>
      nodes[0]!.use(async (calls, forward) => {
        const head = await world.send('eth_getBlockByNumber', [toQuantity(tip), false])
        const block = {
          ...head,
          number: toQuantity(tip + 1),
          hash: id('forged block'),
          parentHash: head.hash,
          logsBloom: FULL_BLOOM,
        }
        return lying((call, result) => {
          if (call.method === 'eth_getLogs') return [forgedLog(victim, attacker, block)]
          const [asked] = call.params
          const isForged = asked === 'latest' || Number(asked) === tip + 1 || asked === block.hash
          return isHeader(call) && isForged ? block : result
        })(calls, forward)
      })
    const tip = await world.tip()
    forgeBlockAfter(tip)
    await sleep(100)
    expect([followed.mirror.block, has(followed, attacker)]).toEqual([tip, false])
    const caught = () => followed.statusOf(0).disagreements.get('block') ?? 0
    // On a busy machine, the quorum decides before the node answers, and its lie is not compared. It lies again.
    while (caught() === 0) {
      const before = await world.tip()
      forgeBlockAfter(before)
      await world.send('anvil_mine', ['0x1'])
      await soon(() => followed.mirror.block).toBe(before + 1)
      await sleep(100)
    }
    await requireCaught(followed)
    expect(has(followed, attacker)).toBe(false)
  })

  it('forged time: cannot make a pending policy take effect early', async () => {
    const { followed } = await attacked()
    const ahead = 1_000_000
    nodes[0]!.use(
      lying((call, result) =>
        isHeader(call) && result
          ? { ...result, timestamp: toQuantity(Number(result.timestamp) + ahead) }
          : result,
      ),
    )
    await world.send('anvil_mine', ['0x1'])
    const tip = await world.tip()
    await followed.mirror.syncTo(tip)
    await requireCaught(followed)
    const { timestamp } = (await world.chain.provider.getBlock(followed.mirror.block))!
    expect(followed.mirror.current().chainTime).toBe(timestamp)
  })

  it('omitted log: cannot hide a revocation', async () => {
    const { followed, victim } = await attacked()
    const usage = newHash()
    await world.write('setUsageApiKey', victim, usage, grants({ executeInGroups: [0] }))
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, usage)).toBe(true)
    nodes[0]!.use(lying(({ method }, result) => (method === 'eth_getLogs' ? [] : result)))
    await world.write('removeUsageApiKey', victim, usage)
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, usage)).toBe(false)
    // On a busy machine, the quorum decides before the node answers, and its lie is not compared. It lies again.
    while (followed.liesOf(0) === 0) {
      await world.write('setUsageApiKey', victim, newHash(), grants({ executeInGroups: [0] }))
      await followed.mirror.syncTo(await world.tip())
    }
    await requireCaught(followed)
  })

  it('withheld blocks: cannot keep a revoked key valid by answering first with an old head', async () => {
    const { followed, victim } = await attacked()
    const usage = newHash()
    await world.write('setUsageApiKey', victim, usage, grants({ executeInGroups: [0] }))
    await followed.mirror.syncTo(await world.tip())
    nodes[0]!.use(lagging(await world.tip()))
    nodes[2]!.use(slow(250))
    await world.write('removeUsageApiKey', victim, usage)
    await soon(() => has(followed, usage)).toBe(false)
  })

  it('withheld blocks: cannot keep a revoked key valid while another node is frozen', async () => {
    const { followed, victim } = await attacked()
    const usage = newHash()
    await world.write('setUsageApiKey', victim, usage, grants({ executeInGroups: [0] }))
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, usage)).toBe(true)
    nodes[0]!.use(lagging(await world.tip()))
    nodes[2]!.use(frozen)
    await world.write('removeUsageApiKey', victim, usage)
    await world.send('evm_increaseTime', [60])
    await world.send('anvil_mine', ['0x1'])
    followed.clock.aheadMs += MIRROR_STALE_MS
    // Time for a few polls, in which two nodes agree about an old block.
    await sleep(3_000)
    expect(isRefused(followed)).toBe(true)
    nodes[2]!.use(undefined)
    await soon(() => isRefused(followed)).toBe(false)
    expect(has(followed, usage)).toBe(false)
  })

  it('cannot stop the others with a head that does not exist', async () => {
    const { followed } = await attacked()
    nodes[0]!.use(
      lying((call, result) =>
        call.params[0] === 'latest' && isHeader(call)
          ? { ...result, number: '0xffffff', hash: id('future') }
          : result,
      ),
    )
    await passMinute(followed)
    const hash = await world.newAccount()
    await followed.mirror.syncTo(await world.tip())
    expect(has(followed, hash)).toBe(true)
  })

  it('forged log: grants nothing to a mirror that reads old blocks in ranges', async () => {
    const victim = await world.newAccount()
    const attacker = newHash()
    const { blockNumber } = await world.write('addGroup', victim, 'group', '', [], [])
    const block = await world.send('eth_getBlockByNumber', [toQuantity(blockNumber), false])
    await world.send('anvil_mine', ['0x200'])
    nodes[0]!.use(
      lying(({ method, params: [filter] }, result) =>
        method === 'eth_getLogs' && Number(filter.fromBlock) <= blockNumber
          ? [...result, forgedLog(victim, attacker, block)]
          : result,
      ),
    )
    const followed = await follow(3)
    await requireCaught(followed)
    expect([has(followed, victim), has(followed, attacker)]).toEqual([true, false])
  })

  it('cannot make another contract look like the accounts', async () => {
    nodes[0]!.use(lying(({ method }, result) => (method === 'eth_getCode' ? '0x' : result)))
    const hash = await world.newAccount()
    const followed = await follow(3)
    expect(has(followed, hash)).toBe(true)
    await requireCaught(followed)
  })
})

describe('two nodes', () => {
  it('are followed while both respond', async () => {
    const followed = await follow(2)
    const hash = await world.newAccount()
    await soon(() => has(followed, hash)).toBe(true)
  })

  it('of which one is frozen are refused once the state is stale, and used again afterwards', async () => {
    const followed = await follow(2)
    nodes[1]!.use(frozen)
    const hash = await world.newAccount()
    await sleep(100)
    expect(has(followed, hash)).toBe(false)
    followed.clock.aheadMs += MIRROR_STALE_MS
    await sleep(100)
    expect(isRefused(followed)).toBe(true)
    nodes[1]!.use(undefined)
    await soon(() => isRefused(followed)).toBe(false)
    expect(has(followed, hash)).toBe(true)
  })

  it('of which one lies are refused, and both count, because the origin cannot know which one lies', async () => {
    const followed = await follow(2)
    nodes[1]!.use(lying(({ method }, result) => (method === 'eth_getLogs' ? [] : result)))
    const hash = await world.newAccount()
    await soon(() => followed.liesOf(0)).toBeGreaterThan(0)
    expect(followed.liesOf(1)).toBeGreaterThan(0)
    expect(has(followed, hash)).toBe(false)
    followed.clock.aheadMs += MIRROR_STALE_MS
    await sleep(100)
    expect(isRefused(followed)).toBe(true)
  })
})

describe('if all nodes are gone', () => {
  it.each([
    ['frozen', frozen],
    ['down', down],
  ])(
    '(%s), the state is refused once it is stale, and served again afterwards',
    async (_, fault) => {
      const followed = await follow(3)
      for (const node of nodes) node.use(fault)
      await sleep(50)
      followed.clock.aheadMs += MIRROR_STALE_MS
      await sleep(50)
      expect(isRefused(followed)).toBe(true)
      for (const node of nodes) node.use(undefined)
      await soon(() => isRefused(followed)).toBe(false)
    },
  )

  it('the origin does not start', async () => {
    for (const node of nodes) node.use(down)
    await expect(follow(3)).rejects.toBeInstanceOf(ContractUnavailableError)
  })
})

describe('the signature of a contract wallet', () => {
  const NOW = 1_800_000_000
  const owner = new Wallet(fundedKey(5))
  /** Response of the calling code for a valid signature: code size, success, length and the magic value. */
  const YES = concat([
    toBeHex(1, 32),
    toBeHex(1, 32),
    toBeHex(32, 32),
    `0x1626ba7e${'0'.repeat(56)}`,
  ])
  const answering = (result: string) =>
    lying(({ method }, real) => (method === 'eth_call' ? result : real))

  const verdictOver = async (count: number, signer: Signer) => {
    const options = { cacheTimeout: -1, pollingInterval: 20 }
    const control = new JsonRpcProvider(world.rpcUrl, undefined, options)
    const payer = new NonceManager(new Wallet(fundedKey(6), control))
    const address = await deployOwnedWallet(payer, owner.address)
    control.destroy()
    const { chain, liesOf } = await follow(count)
    const { chainId } = chain
    const data = typedDataOf({ purpose: 'ConvertAccount', address, issuedAt: NOW, chainId })
    const types = { [data.primaryType]: [...data.types[data.primaryType]!] }
    const signature = await signer.signTypedData(data.domain, types, data.message)
    const proofs = new WalletProofs({ chain, now: () => NOW * 1000 })
    const proof = proofs.read({ typed_data: data, signature }, 'ConvertAccount')
    const verdict = await proofs.verify(proof).then(
      () => 'verified',
      (error: Error) => error.name,
    )
    return { verdict, liesOf }
  }

  it('forged response: is not accepted if a single node accepts it', async () => {
    nodes[0]!.use(answering(YES))
    const { verdict, liesOf } = await verdictOver(3, Wallet.createRandom())
    expect(verdict).toBe('WalletProofError')
    await soon(() => liesOf(0)).toBeGreaterThan(0)
  })

  it('is accepted although a single node rejects it, is frozen or fails', async () => {
    for (const fault of [answering(`0x${'0'.repeat(256)}`), frozen, down]) {
      nodes[0]!.use(fault)
      expect((await verdictOver(3, owner)).verdict).toBe('verified')
    }
  })

  it('is verified by all nodes at the same block, by its hash', async () => {
    const blocks: unknown[] = []
    for (const node of nodes)
      node.use((calls, forward) => {
        for (const { method, params } of calls) if (method === 'eth_call') blocks.push(params[1])
        return forward(calls)
      })
    expect((await verdictOver(3, owner)).verdict).toBe('verified')
    await soon(() => blocks).toHaveLength(3)
    const { hash } = await world.send('eth_getBlockByNumber', ['latest', false])
    expect(blocks).toEqual(nodes.map(() => ({ blockHash: hash })))
  })

  it('is neither accepted nor rejected if two nodes disagree', async () => {
    nodes[0]!.use(answering(YES))
    const { verdict } = await verdictOver(2, Wallet.createRandom())
    expect(verdict).toBe(ContractUnavailableError.name)
  })
})
