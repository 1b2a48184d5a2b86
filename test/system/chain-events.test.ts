/** Chain events on a real stack, with contracts deployed to its own chain. */
import {
  type BaseContract,
  getAddress,
  JsonRpcProvider,
  NonceManager,
  ZeroAddress,
  zeroPadValue,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fundedWallets } from '../../origin/stack/funded-wallets.ts'
import { LOCAL_CHAIN_ID } from '../../origin/stack/chain.ts'
import type { TriggerPreview } from '../../shared/wire/preview.ts'
import type { RunRecord, StoredTrigger, TriggerRecord } from '../../shared/wire/trigger.ts'
import { deployEventContract } from '../doubles/event-contracts/deploy.ts'
import { newOwner, type Owner, until } from './owner.ts'
import { type StartedStack, startStack } from './stack.ts'

const ECHO = 'async function main(params) { return params }'
// Canonical signatures, without `indexed` markers.
const TRANSFER = 'Transfer(address,address,uint256)'
const SWAP = 'Swap(address,uint256,uint256,uint256,uint256,address)'
const FRIEND = '0x1234567890AbcdEF1234567890aBcdef12345678'
const STRANGER = '0x00000000000000000000000000000000000000AA'

let started: StartedStack
let owner: Owner
let node: JsonRpcProvider
let closeWallets: () => void
let holder: string
let signer: NonceManager
let token: BaseContract
/** Keeps the chain watched throughout and receives every transfer of the token. */
let keeper: TriggerRecord
beforeAll(async () => {
  started = await startStack()
  owner = await newOwner(started)
  node = new JsonRpcProvider(started.stack.chainUrl, LOCAL_CHAIN_ID, {
    staticNetwork: true,
    cacheTimeout: -1,
    pollingInterval: 50,
  })
  const wallets = fundedWallets(started.stack.chainUrl)
  closeWallets = wallets.close
  signer = new NonceManager((await wallets.wallet()).connect(node))
  holder = await signer.getAddress()
  token = await deployEventContract(signer, 'Token')
  keeper = await create(watching(token))
})
afterAll(async () => {
  closeWallets()
  node.destroy()
  await started.stop()
})

const addressOf = (contract: BaseContract) => contract.target as string
const watching = (contract: BaseContract | string, event_signature = TRANSFER, more = {}) => ({
  kind: 'chain_event',
  config: {
    chain: 'ethereum',
    contract_address: typeof contract === 'string' ? contract : addressOf(contract),
    event_signature,
    ...more,
  },
})
const create = (fields: object) =>
  owner.createTrigger(ECHO, fields) as unknown as Promise<StoredTrigger>
const patch = (id: string, changes: object): Promise<TriggerRecord> =>
  owner.api(`triggers/${id}`, changes, 'PATCH')

const mine = (blocks: number) => node.send('anvil_mine', [`0x${blocks.toString(16)}`])

/** Calls a contract and finalizes the block at once. */
async function call(contract: BaseContract, name: string, ...args: unknown[]) {
  const sent = await contract.getFunction(name).send(...args)
  const receipt = (await sent.wait())!
  await mine(2)
  return { hash: receipt.hash, block: receipt.blockNumber }
}
const transfer = (amount: bigint, to = FRIEND, of = token) => call(of, 'transfer', to, amount)

/** Waits until the watcher has polled up to a block. A new trigger starts at the head that the watcher knows. */
const lookedAt = (block: number) =>
  until(20, `block ${block} is seen`, async () =>
    (await owner.api('chains')).chains[0].head >= block ? true : undefined,
  )

/** Waits until a trigger has at least `count` runs and all are finished. @returns the runs in event order */
async function runsOnce(id: string, count: number, seconds = 30): Promise<RunRecord[]> {
  const runs = await until(seconds, `${count} runs`, async () => {
    const found = await owner.runs(id)
    return found.length >= count && found.every((run) => run.finished_at !== null)
      ? found
      : undefined
  })
  return runs.toReversed()
}
function eventOf(run: RunRecord | undefined): Record<string, any> {
  if (!run) throw new Error('there is no such run')
  return (run.response as { event: Record<string, any> }).event
}
const amounts = (runs: readonly RunRecord[]) => runs.map((run) => eventOf(run).decoded.arg2)

describe('events of watched contracts', () => {
  it('runs an action for an ERC-20 transfer with its sender, recipient and amount', async () => {
    const trigger = await create(watching(token))
    expect(trigger).toMatchObject({ canonical_signature: TRANSFER, finality: 2 })
    const { hash, block } = await transfer(2n ** 200n)
    const [run, ...more] = await runsOnce(trigger.id, 1)
    expect(more).toEqual([])
    expect(run).toMatchObject({ status: 'success', reorged: false })
    expect(run!.response).toMatchObject({
      source: 'chain_event',
      event: {
        chain: 'ethereum',
        chain_id: LOCAL_CHAIN_ID,
        contract_address: addressOf(token),
        event_signature: TRANSFER,
        decoded: { arg0: holder, arg1: FRIEND, arg2: String(2n ** 200n) },
        decode: 'exact',
        block_number: block,
        transaction_hash: hash,
        topics: [
          trigger.topic0,
          zeroPadValue(holder, 32).toLowerCase(),
          zeroPadValue(FRIEND, 32).toLowerCase(),
        ],
        removed: false,
      },
    })
    await owner.api(`triggers/${trigger.id}`, undefined, 'DELETE')
  })

  it('decodes a Uniswap V2 swap, in which the first and last arguments are indexed', async () => {
    const pair = await deployEventContract(signer, 'Pair')
    const { id } = await create(watching(pair, SWAP))
    await call(pair, 'swap', 1_000n, 7n, FRIEND)
    const event = eventOf((await runsOnce(id, 1))[0])
    expect(event.decode).toBe('exact')
    expect(event.indexed).toEqual([0, 5])
    expect(event.decoded).toEqual({
      arg0: holder,
      arg1: '1000',
      arg2: '0',
      arg3: '0',
      arg4: '7',
      arg5: FRIEND,
    })
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('decodes an ERC-1155 URI event, in which the second argument is indexed', async () => {
    const items = await deployEventContract(signer, 'Items')
    const { id } = await create(watching(items, 'URI(string,uint256)'))
    await call(items, 'setURI', 12, 'ipfs://an-item')
    const event = eventOf((await runsOnce(id, 1))[0])
    expect(event.decode).toBe('exact')
    expect(event.decoded).toEqual({ arg0: 'ipfs://an-item', arg1: '12' })
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('decodes EAS, ERC-6551, Sablier and ParaSwap events from canonical signatures', async () => {
    const layouts = await deployEventContract(signer, 'Layouts')
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((digit) => getAddress(`0x${digit.repeat(40)}`))
    const [uid, schema] = [`0x${'1e'.repeat(32)}`, `0x${'5c'.repeat(32)}`]
    const signatures = [
      'Attested(address,address,bytes32,bytes32)',
      'Revoked(address,address,bytes32,bytes32)',
      'ERC6551AccountCreated(address,address,bytes32,uint256,address,uint256)',
      'CreateLockupLinearStream(uint256,address,address,address,(uint128,uint128,uint128),address,bool,bool,(uint40,uint40,uint40),address)',
      'SwappedV3(bytes16,address,uint256,address,address,address,address,uint256,uint256,uint256)',
    ]
    const triggers = await Promise.all(
      signatures.map((signature) => create(watching(layouts, signature))),
    )
    expect(triggers.map(({ warnings }) => warnings)).toEqual(signatures.map(() => undefined))
    await call(layouts, 'attest', a, b, uid, schema)
    await call(layouts, 'createAccount', a, b, c)
    await call(layouts, 'createStream', a, b, c)
    await call(layouts, 'swap', a, b, c, d)
    const events = await Promise.all(
      triggers.map(async ({ id }) => eventOf((await runsOnce(id, 1))[0])),
    )
    expect(events.map(({ decode, decoded }) => [decode, Object.values(decoded)])).toEqual([
      ['exact', [a, b, uid, schema]],
      ['exact', [b, a, uid, schema]],
      ['exact', [a, b, zeroPadValue('0x07', 32), '31337', c, '42']],
      [
        'exact',
        ['9', holder, a, b, ['1000', '2', '3'], c, true, false, ['100', '200', '300'], ZeroAddress],
      ],
      [
        'exact',
        ['0x000102030405060708090a0b0c0d0e0f', a, '5', holder, b, c, d, '1000', '990', '995'],
      ],
    ])
    for (const { id } of triggers) await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('returns all readings of an ambiguous log and warns until `indexed` markers are given', async () => {
    const layouts = await deployEventContract(signer, 'Layouts')
    const trigger = await create(watching(layouts, 'Handed(address,address)'))
    const warning = 'Handed(address indexed, address) or Handed(address, address indexed)'
    expect(trigger.warnings).toEqual([expect.stringContaining(warning)])
    await call(layouts, 'hand', FRIEND, STRANGER)
    const event = eventOf((await runsOnce(trigger.id, 1))[0])
    expect(event.decode).toBe('ambiguous')
    expect(event.decoded).toEqual({ arg0: STRANGER, arg1: FRIEND })
    expect(event.readings).toEqual([
      { decoded: { arg0: STRANGER, arg1: FRIEND }, indexed: [0], indexed_hash: [] },
      { decoded: { arg0: FRIEND, arg1: STRANGER }, indexed: [1], indexed_hash: [] },
    ])
    const marked = 'Handed(address, address indexed)'
    const { config } = watching(layouts, marked)
    const changed: StoredTrigger = await patch(trigger.id, { config })
    expect(changed.warnings).toBeUndefined()
    await call(layouts, 'hand', FRIEND, STRANGER)
    const [, second] = await runsOnce(trigger.id, 2)
    expect(eventOf(second)).toMatchObject({
      decode: 'exact',
      decoded: { arg0: FRIEND, arg1: STRANGER },
    })
    await owner.api(`triggers/${trigger.id}`, undefined, 'DELETE')
  })

  it('delivers only the events that match the topic filters', async () => {
    const topic_filters = [null, [zeroPadValue(FRIEND, 32), zeroPadValue(holder, 32)]]
    const { id } = await create(watching(token, TRANSFER, { topic_filters }))
    await transfer(31n, STRANGER)
    await transfer(32n)
    expect(amounts(await runsOnce(id, 1))).toEqual(['32'])
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })
})

describe('event delivery', () => {
  it('backfills from start_block, each event once and in order, alongside new events', async () => {
    const old = await deployEventContract(signer, 'Token')
    const { block } = await transfer(1n, FRIEND, old)
    for (const amount of [2n, 3n]) await transfer(amount, FRIEND, old)
    await lookedAt((await transfer(4n, FRIEND, old)).block)
    const start_block = `0x${block.toString(16)}`
    const { id } = await create(watching(old, TRANSFER, { start_block }))
    await transfer(5n, FRIEND, old)
    const runs = await runsOnce(id, 5)
    const told = amounts(runs)
    expect(told.filter((amount) => amount !== '5')).toEqual(['1', '2', '3', '4'])
    expect(told.filter((amount) => amount === '5')).toHaveLength(1)
    const { backfill } = await until(20, 'the backfill is done', async () => {
      const trigger = await owner.trigger(id)
      return trigger.backfill?.done ? trigger : undefined
    })
    expect(backfill).toMatchObject({ from: block, done: true })
    expect(await owner.runs(id)).toHaveLength(5)
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('skips events from the time in which the trigger was disabled', async () => {
    const { id } = await create(watching(token))
    await patch(id, { enabled: false })
    const { block } = await transfer(41n)
    await lookedAt(block)
    await patch(id, { enabled: true })
    await transfer(42n)
    expect(amounts(await runsOnce(id, 1))).toEqual(['42'])
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('follows the new contract after a config change, and no longer the old one', async () => {
    const other = await deployEventContract(signer, 'Token')
    const { id } = await create(watching(token))
    await transfer(51n)
    await runsOnce(id, 1)
    await patch(id, { config: watching(other).config })
    await transfer(52n)
    await transfer(53n, FRIEND, other)
    expect(amounts(await runsOnce(id, 2))).toEqual(['51', '53'])
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })

  it('delivers each event from an outage of the edge exactly once', async () => {
    const { id } = await create(watching(token))
    await transfer(61n)
    await runsOnce(id, 1)
    await started.stack.kill('edge')
    for (const amount of [62n, 63n, 64n]) await transfer(amount)
    await started.stack.startComponent('edge')
    await transfer(65n)
    expect(amounts(await runsOnce(id, 5))).toEqual(['61', '62', '63', '64', '65'])
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })
})

describe('a reorganization deeper than the finality of a trigger', () => {
  it('marks the run of a removed event, and starts a new run for its replacement', async () => {
    const { id } = await create({ ...watching(token), options: { finality: 1 } })
    // Mines blocks on demand only, and not deep enough for the account mirror to finalize them.
    await node.send('evm_setIntervalMining', [0])
    await node.send('evm_setAutomine', [true])
    try {
      await (await token.getFunction('transfer').send(FRIEND, 71n)).wait()
      await mine(1)
      const [first] = await runsOnce(id, 1)
      expect(first).toMatchObject({ status: 'success', reorged: false })
      await node.send('anvil_reorg', [2, []])
      signer.reset()
      const gone = await until(30, 'the run is marked', async () => {
        const run = (await owner.runs(id)).find((one) => one.id === first!.id)
        return run?.reorged ? run : undefined
      })
      expect(gone.status).toBe('success')
    } finally {
      await node.send('evm_setIntervalMining', [1])
    }
    await transfer(72n)
    const runs = await runsOnce(id, 2)
    expect(runs.map((run) => [eventOf(run).decoded.arg2, run.reorged])).toEqual([
      ['71', true],
      ['72', false],
    ])
    await owner.api(`triggers/${id}`, undefined, 'DELETE')
  })
})

describe('a trigger that exists throughout the tests', () => {
  it('runs once per transfer, in order, and not for a transfer removed before it was final', async () => {
    const sent = [31, 32, 41, 42, 51, 52, 61, 62, 63, 64, 65, 72].map(String)
    const runs = await runsOnce(keeper.id, sent.length + 1)
    expect(amounts(runs)).toEqual([String(2n ** 200n), ...sent])
    expect(runs.map((run) => run.reorged)).not.toContain(true)
  })
})

describe('previews and chain status', () => {
  const preview = (fields: object): Promise<TriggerPreview> => owner.api('triggers/preview', fields)

  it('previews the latest events in the form that an action receives, newest first', async () => {
    const shown = await preview(watching(token))
    expect(shown.warnings).toEqual([])
    expect(shown.canonical_signature).toBe(TRANSFER)
    expect(shown.logs!.length).toBeGreaterThan(2)
    expect(shown.params).toMatchObject({ source: 'chain_event', event: shown.logs![0] })
    expect(shown.logs![0]).toMatchObject({
      decoded: { arg0: holder, arg1: FRIEND, arg2: '72' },
      decode: 'exact',
    })
  })

  it('warns in a preview if the contract does not exist or has never emitted the event', async () => {
    const nobody = await preview(watching(STRANGER))
    expect(nobody.logs).toEqual([])
    expect(nobody.warnings).toEqual([expect.stringContaining('No contract exists at this address')])
    const wrong = await preview(watching(token, 'Transferred(address,address,uint256)'))
    expect(wrong.warnings).toEqual([expect.stringContaining('check event_signature')])
  })

  it('GET /api/chains shows the status of the chain but not the address of its node', async () => {
    const { chains } = await until(20, 'the chain is looked at', async () => {
      const answer = await owner.api('chains')
      return answer.chains[0].watching && answer.chains[0].lag_blocks === 0 ? answer : undefined
    })
    expect(chains).toHaveLength(1)
    expect(chains[0]).toMatchObject({
      chain: 'ethereum',
      chain_id: LOCAL_CHAIN_ID,
      finality: 2,
      poll_ms: 1000,
      rpc: [{ endpoint: 0, state: 'healthy', last_failure: null }],
    })
    const { port } = new URL(started.stack.chainUrl)
    expect(JSON.stringify(chains)).not.toContain(port)
    expect(JSON.stringify(chains)).not.toContain('127.0.0.1')
  })
})
