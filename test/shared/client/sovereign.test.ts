/** ChainSecured mode of the client, at a real origin and chain. */
import { inspect } from 'node:util'
import { JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '../../../shared/client/client.ts'
import type { SovereignOptions, Step } from '../../../shared/client/options.ts'
import type { EthereumSigner } from '../../../shared/client/sovereign/signer.ts'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import { fetchFrom, sovereignAt, wire } from '../../origin/client/client-of.ts'
import { makeChainSecured } from '../../origin/http/chain-secured.ts'
import { startOrigin, type TestOrigin } from '../../origin/http/origin.ts'
import { type BrowserWallet, browserWallet } from '../../doubles/eip1193-wallet.ts'

const SIGN = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message)
}`
const CID = `Qm${'a'.repeat(44)}`
const OTHER_CID = `Qm${'b'.repeat(44)}`
const THERE_IS_NO_WAY_BACK = 'there is no way back'

let origin: TestOrigin
let node: JsonRpcProvider
const opened: BrowserWallet[] = []
beforeAll(async () => {
  origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1 }
  node = new JsonRpcProvider(origin.rpcUrl, undefined, options)
})
afterAll(async () => {
  for (const wallet of opened) wallet.close()
  node.destroy()
  await origin.close()
})

const sleep = (ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    setTimeout(resolve, ms)
  })

/** A client in ChainSecured mode, and the steps of its writes. */
function clientOf(signer: EthereumSigner, options: Partial<SovereignOptions> = {}) {
  const steps: Step[] = []
  const client = createClient({
    ...sovereignAt(origin),
    sleep,
    signer,
    onStep: (step) => void steps.push(step),
    ...options,
  })
  return { ...client, steps }
}

async function funded(wallet = Wallet.createRandom()) {
  await node.send('anvil_setBalance', [wallet.address, '0x8ac7230489e80000'])
  return wallet.connect(node)
}

const SIGNERS = {
  'a signer of ethers': async (wallet: Wallet | ReturnType<typeof Wallet.createRandom>) =>
    wallet.connect(node),
  'an EIP-1193 provider': async (wallet: Wallet | ReturnType<typeof Wallet.createRandom>) => {
    const browser = await browserWallet(wallet, origin.rpcUrl)
    opened.push(browser)
    return browser
  },
}

/** A converted account, and its admin's client. */
async function converted(signerOf: (wallet: any) => Promise<EthereumSigner>) {
  const key = await origin.account()
  const admin = await makeChainSecured(origin, key)
  await funded(admin)
  return { admin, client: clientOf(await signerOf(admin)) }
}

const failureOf = async (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  )

describe.each(Object.entries(SIGNERS))('every operation by %s', (_name, signerOf) => {
  it('writes the contract, and reads of it what the API lists', async () => {
    const { client } = await converted(signerOf)
    const wallet = await client.createWallet({ name: 'till', description: 'pays' })
    const spare = await client.createWallet()
    const { group_id } = await client.addGroup({
      group_name: 'signers',
      group_description: 'sign',
      pkp_ids_permitted: [wallet.wallet_address],
      cid_hashes_permitted: [],
    })
    const all = await client.addGroup({
      group_name: 'all',
      pkp_ids_permitted: [`0x${'0'.repeat(64)}`],
      cid_hashes_permitted: [0],
    })
    const gone = await client.addGroup({ group_name: 'gone' })
    await client.addPkpToGroup({ group_id, pkp_id: spare.pkp_id })
    await client.addActionToGroup({ group_id, action_ipfs_cid: CID, name: 'echo' })
    const { cid_hash } = await client.addAction({ action_ipfs_cid: OTHER_CID, name: 'other' })
    await client.updateActionMetadata({ hashed_cid: cid_hash, description: 'changed' })
    await client.updateGroup({ group_id, group_description: 'sign and pay' })
    const key = await client.addUsageApiKey({ name: 'run', execute_in_groups: [group_id] })
    await client.updateUsageApiKey({
      usage_api_key: key.usage_api_key,
      can_create_pkps: true,
      add_pkp_to_groups: [0],
    })

    /** Of the API, as of the chain's last block; the key reads every group. */
    const listed = async (path: string) => {
      await origin.services.mirror.syncTo(await node.getBlockNumber())
      const answer = (await origin.core(path, { key: key.usage_api_key })).body
      // When a key was used is not on the chain.
      if (path.startsWith('get_group')) for (const used of answer.keys) used.last_used_at = null
      return answer
    }
    const expectTheSame = async () => {
      for (const group of await client.listGroups().all()) {
        const { id } = group
        const of = `?group_id=${id}`
        const ofGroup = { group_id: id }
        const whole = await listed(`get_group${of}`)
        expect(await client.getGroup(ofGroup)).toEqual(whole)
        expect(whole).toMatchObject(group)
        expect(await client.listActions(ofGroup).all()).toEqual(await listed(`list_actions${of}`))
        expect(await client.listWalletsInGroup(ofGroup).all()).toEqual(
          await listed(`list_wallets_in_group${of}`),
        )
      }
    }
    await expectTheSame()
    expect((await client.listGroups().all()).map(({ group_id: id }) => id)).toEqual([
      group_id,
      all.group_id,
      gone.group_id,
    ])
    expect(await client.getGroup({ group_id })).toMatchObject({
      description: 'sign and pay',
      pkp_ids_permitted: [wallet.pkp_id, spare.pkp_id],
      actions: [{ action_ipfs_cid: CID, name: 'echo' }],
    })
    expect(await client.listActions().all()).toMatchObject([
      { action_ipfs_cid: CID },
      { action_ipfs_cid: OTHER_CID, name: 'other', description: 'changed', groups: [] },
    ])

    await client.removeGroup({ group_id: gone.group_id })
    await client.removePkpFromGroup({ group_id, pkp_id: spare.wallet_address })
    await client.removeActionFromGroup({ group_id, action_ipfs_cid: CID })
    await client.deleteAction({ action_ipfs_cid: OTHER_CID })
    await expectTheSame()
    expect(await client.listActions().all()).toMatchObject([{ action_ipfs_cid: CID, groups: [] }])
    await client.removeUsageApiKey({ usage_api_key: key.usage_api_key_hash })
    expect(await client.listApiKeys().all()).toEqual([])
  })

  it('makes a usage key that runs an action with a wallet of the account', async () => {
    const { client } = await converted(signerOf)
    const { wallet_address } = await client.createWallet()
    const { group_id } = await client.addGroup({
      group_name: 'all',
      pkp_ids_permitted: [wallet_address],
      cid_hashes_permitted: [0],
    })
    const made = await client.addUsageApiKey({ name: 'run', execute_in_groups: [group_id] })
    expect(made.usage_api_key_hash).toBe(origin.hashOf(made.usage_api_key))
    const params = { pkpId: wallet_address, message: 'hello' }
    const run = await origin.run(made.usage_api_key, SIGN, params)
    expect([run.status, run.body.response]).toEqual([
      200,
      expect.stringMatching(/^0x[0-9a-f]{130}$/),
    ])
    const steps = client.steps.map(({ step }) => step)
    expect(steps.slice(-5)).toEqual(['sign', 'confirm', 'sent', 'mined', 'seen'])
  })

  it('opens an account of its own, and hands it on for ever', async () => {
    const wallet = await funded()
    const client = clientOf(await signerOf(wallet))
    const opened_ = await client.newAccount({ account_name: 'mine', account_description: '' })
    expect(opened_).toEqual({
      wallet_address: wallet.address,
      account_hash: accountHashOfWallet(wallet.address),
    })
    // Asked of the service at once: it waits until the service has seen the account.
    await client.createWallet()
    const next = await funded()
    await client.transferOwnership(next.address.toLowerCase(), THERE_IS_NO_WAY_BACK)
    const now = clientOf(await signerOf(next))
    expect(await now.accountHash()).toBe(opened_.account_hash)
    await now.addGroup({ group_name: 'mine now' })
    const refused = await failureOf(client.addGroup({ group_name: 'no more' }))
    expect(refused).toMatchObject({ name: 'TransactionReverted', errorName: 'NoAccountAccess' })
    const back = await failureOf(now.transferOwnership(wallet.address, THERE_IS_NO_WAY_BACK))
    expect(back).toMatchObject({ errorName: 'AccountAlreadyExists', transaction: undefined })
  })
})

it('reads of the contract what the API listed before the account was converted', async () => {
  const key = await origin.account()
  const { pkp_id } = await origin.wallet(key)
  const group_id = await origin.group(key, { pkp_ids_permitted: [pkp_id] })
  const body = { group_id, action_ipfs_cid: CID, name: 'echo' }
  await origin.core('add_action_to_group', { key, body })
  await origin.usageKey(key, { execute_in_groups: [group_id], can_create_groups: true })
  const paths = ['list_wallets', 'list_groups', 'list_actions', 'list_api_keys']
  const listed = []
  for (const path of paths) listed.push((await origin.core(path, { key })).body)
  const whole = (await origin.core(`get_group?group_id=${group_id}`, { key })).body
  const client = clientOf((await makeChainSecured(origin, key)).connect(node))
  expect([
    await client.listWallets().all(),
    await client.listGroups().all(),
    await client.listActions().all(),
    await client.listApiKeys().all(),
  ]).toEqual(listed)
  expect(await client.getGroup({ group_id })).toEqual(whole)
  expect(await client.accountHash()).toBe(origin.hashOf(key))
})

describe('what a usage key may spend', () => {
  it('is set by the wallet’s proof, after the key is on the chain', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const cap = { spend_cap_cents: 100, spend_window_seconds: 3600 }
    const { usage_api_key, usage_api_key_hash } = await client.addUsageApiKey({ name: 'k', ...cap })
    const account = await client.accountHash()
    expect(await origin.services.credits.caps(account)).toMatchObject([
      { keyHash: usage_api_key_hash, capCents: 100, windowSeconds: 3600 },
    ])
    const sent = client.steps.filter(({ step }) => step === 'sent').length
    const none = { spend_cap_cents: null, spend_window_seconds: null }
    await client.updateUsageApiKey({ usage_api_key, ...none })
    expect(await origin.services.credits.caps(account)).toEqual([])
    expect(client.steps.filter(({ step }) => step === 'sent')).toHaveLength(sent)
  })

  it('is listed beside what the contract says of the key, by one proof', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await client.addGroup({ group_name: 'all', cid_hashes_permitted: [0] })
    const cap = { spend_cap_cents: 100, spend_window_seconds: 3600 }
    const { usage_api_key } = await client.addUsageApiKey({
      name: 'k',
      execute_in_groups: [1],
      ...cap,
    })
    const running = client.withUsageKey(usage_api_key)
    await running.waitUntilPermitted(() => running.svcAction({ code: 'const main = () => 1' }))
    const listed = await client.listApiKeys().all()
    const spent = { ...cap, spent_cents: 1, last_used_at: expect.any(String) }
    expect(listed).toMatchObject([{ name: 'k', execute_in_groups: [1], ...spent }])
  })

  it('is refused where half of it is said, before the wallet is asked', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const half = { name: 'k', spend_cap_cents: 100 }
    expect(await failureOf(client.addUsageApiKey(half))).toMatchObject({ field: 'spend_cap_cents' })
    expect(client.steps).toEqual([])
  })
})

describe('billing', () => {
  it('asks the wallet for one proof, and for another when it is about to end', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    let aheadMs = 0
    const now = () => origin.services.now() + aheadMs
    const client = clientOf(admin.connect(node), { now })
    expect(await client.billing.balance()).toMatchObject({ balance_display: '$999.99' })
    expect(await client.billing.usage().all()).toEqual(expect.any(Array))
    const signed = () => client.steps.filter(({ step }) => step === 'sign').length
    expect(signed()).toBe(1)
    aheadMs = 241_000
    await client.billing.balance()
    expect(signed()).toBe(2)
  })

  it('of a wallet without an account is refused, and a proof that was refused is not used again', async () => {
    const client = clientOf(Wallet.createRandom().connect(node))
    for (const times of [1, 2]) {
      expect(await failureOf(client.billing.balance())).toMatchObject({ name: 'Unauthorized' })
      expect(client.steps.filter(({ step }) => step === 'sign')).toHaveLength(times)
    }
  })

  it('is ended by a signal while the wallet asks its owner', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const wallet = await SIGNERS['an EIP-1193 provider'](admin)
    const ending = new AbortController()
    const silent = {
      request: async (question: { method: string }) => {
        if (question.method !== 'eth_signTypedData_v4') return wallet.request(question)
        ending.abort(new Error('enough'))
        return new Promise(() => {})
      },
    }
    const ended = { message: 'enough' }
    const { signal } = ending
    expect(await failureOf(clientOf(silent).billing.balance({ signal }))).toMatchObject(ended)
    const closing = clientOf(silent, { signal: AbortSignal.any([signal]) })
    expect(await failureOf(closing.billing.balance())).toMatchObject(ended)
  })

  it('of a key that is not there is not asked about for ever by a clock that was set back', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    let behindMs = 0
    const client = clientOf(admin.connect(node), {
      now: () => origin.services.now() - behindMs,
      sleep: async () => {},
    })
    await client.addGroup({ group_name: 'g' })
    await client.billing.balance()
    behindMs = 60_000
    const cap = { spend_cap_cents: 5, spend_window_seconds: 3_600 }
    const capped = client.updateUsageApiKey({ usage_api_key: `0x${'11'.repeat(32)}`, ...cap })
    expect(await failureOf(capped)).toMatchObject({ name: 'NotFound' })
  })

  it('asks once for calls at the same time', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await Promise.all([
      client.billing.balance(),
      client.billing.balance(),
      client.billing.balance(),
    ])
    expect(client.steps.filter(({ step }) => step === 'sign')).toHaveLength(1)
  })
})

it('runs actions by its usage key, and by none before it has one', async () => {
  const { client } = await converted(SIGNERS['a signer of ethers'])
  const action = { code: 'async function main() { return 1 }' }
  expect(await failureOf(client.svcAction(action))).toMatchObject({ code: 'no_usage_key' })
  const { group_id } = await client.addGroup({ group_name: 'all', cid_hashes_permitted: [0] })
  const made = await client.addUsageApiKey({ name: 'k', execute_in_groups: [group_id] })
  const running = client.withUsageKey(made.usage_api_key)
  expect(await running.accountExists()).toBe(true)
  expect(await running.svcAction(action)).toMatchObject({ response: 1 })
})

describe('an update', () => {
  it('leaves as it is what it does not name, whoever has changed that meanwhile', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const { group_id } = await client.addGroup({ group_name: 'one', cid_hashes_permitted: [0] })
    await client.updateGroup({ group_id, group_name: 'two' })
    await client.updateGroup({ group_id, cid_hashes_permitted: [] })
    expect(await client.getGroup({ group_id })).toMatchObject({
      name: 'two',
      cid_hashes_permitted: [],
    })
  })

  it('of nothing is refused before the wallet is asked', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const refused = await failureOf(client.updateGroup({ group_id: 1 }))
    expect(refused).toMatchObject({ name: 'InvalidArgument', field: 'fields' })
    expect(client.steps).toEqual([])
  })
})

describe('a value that can not be', () => {
  const bad: [string, (client: ReturnType<typeof clientOf>) => Promise<unknown>][] = [
    ['pkp_id', (client) => client.addPkpToGroup({ group_id: 1, pkp_id: '0x12' })],
    ['group_id', (client) => client.removeGroup({ group_id: 0 })],
    ['action_ipfs_cid', (client) => client.addAction({ action_ipfs_cid: 'bafy' })],
    ['hashed_cid', (client) => client.deleteAction({ hashed_cid: '0x12' })],
    [
      'cid_hashes_permitted[1]',
      (client) => client.addGroup({ group_name: 'g', cid_hashes_permitted: [0, '0x1'] }),
    ],
    [
      'execute_in_groups[0]',
      (client) => client.addUsageApiKey({ name: 'k', execute_in_groups: [-1] }),
    ],
    ['usage_api_key', (client) => client.removeUsageApiKey({ usage_api_key: '0x12' })],
    ['name', (client) => client.addUsageApiKey({ name: '\ud800' })],
  ]
  it.each(bad)('is refused by the name of its field: %s', async (field, call) => {
    const client = clientOf(Wallet.createRandom().connect(node))
    expect(await failureOf(call(client))).toMatchObject({ name: 'InvalidArgument', field })
    expect(client.steps).toEqual([])
  })
})

describe('a wallet’s owner who refuses', () => {
  it.each([
    ['to sign', (client: ReturnType<typeof clientOf>) => client.billing.balance()],
    ['to send', (client: ReturnType<typeof clientOf>) => client.addGroup({ group_name: 'g' })],
  ])('%s ends the call, with nothing sent', async (_what, call) => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const browser = await browserWallet(admin, origin.rpcUrl)
    opened.push(browser)
    browser.answer('no')
    const client = clientOf(browser)
    expect(await failureOf(call(client))).toMatchObject({
      name: 'WalletRefused',
      code: 'wallet_refused',
    })
    expect(client.steps.some(({ step }) => step === 'sent')).toBe(false)
    browser.answer('yes')
    await call(client)
  })

  it('is told apart in the words of ethers, too', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const rejected = Object.assign(new Error('user rejected action'), { code: 'ACTION_REJECTED' })
    const signer = {
      provider: node,
      getAddress: async () => admin.address,
      signTypedData: () => Promise.reject(rejected),
      sendTransaction: () => Promise.reject(rejected),
    }
    for (const call of [
      clientOf(signer).billing.balance(),
      clientOf(signer).addGroup({ group_name: 'g' }),
    ])
      expect(await failureOf(call)).toMatchObject({ name: 'WalletRefused' })
  })
})

describe('a wallet on another chain', () => {
  const elsewhere = async (knows: boolean) => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    const browser = await browserWallet(admin, origin.rpcUrl)
    opened.push(browser)
    browser.beOnChain(1n, knows)
    return { browser, client: clientOf(browser) }
  }

  it('is asked once to change to that of the accounts', async () => {
    const { browser, client } = await elsewhere(true)
    await client.addGroup({ group_name: 'g' })
    expect(browser.asked.filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(
      1,
    )
  })

  it('that does not know it is refused, and both are named', async () => {
    const { browser, client } = await elsewhere(false)
    const { chainId } = await node.getNetwork()
    const refused = await failureOf(client.addGroup({ group_name: 'g' }))
    expect(refused).toMatchObject({ name: 'WrongChain', walletChainId: 1n, nodeChainId: chainId })
    expect(browser.asked).not.toContain('eth_sendTransaction')
  })
})

describe('attack: a service that names another contract', () => {
  const lying =
    (contract_address: string): typeof fetch =>
    async (input, init) => {
      const answer = await fetchFrom(origin, wire)(input, init)
      if (!new Request(input, init).url.endsWith('/get_node_chain_config')) return answer
      return Response.json({ ...((await answer.json()) as object), contract_address })
    }

  it('is refused by a client that is pinned to the right one', async () => {
    const { contractAddress } = origin.services.chain
    const other = Wallet.createRandom().address
    const signer = (await funded()).connect(node)
    const client = clientOf(signer, { fetch: lying(other), contractAddress })
    const refused = await failureOf(client.newAccount({ account_name: 'a' }))
    expect(refused).toMatchObject({ name: 'WrongContract', contractAddress: other })
  })

  it('that is none costs no gas', async () => {
    const wallet = await funded()
    const client = clientOf(wallet, { fetch: lying(Wallet.createRandom().address) })
    const refused = await failureOf(client.newAccount({ account_name: 'a' }))
    expect(refused).toMatchObject({ name: 'WrongContract' })
    expect(await node.getTransactionCount(wallet.address)).toBe(0)
  })
})

describe('a write that the contract refuses', () => {
  it('is not sent, and its error is named with what to do', async () => {
    const { client, admin } = await converted(SIGNERS['an EIP-1193 provider'])
    const refused = await failureOf(client.removeGroup({ group_id: 7 }))
    expect(refused).toMatchObject({
      name: 'TransactionReverted',
      errorName: 'GroupDoesNotExist',
      code: 'group_does_not_exist',
      args: [BigInt(await client.accountHash()).toString(), '7'],
      transaction: undefined,
      fix: expect.stringContaining('listGroups'),
    })
    expect(await node.getTransactionCount(admin.address)).toBe(0)
  })

  it('is said of a read, too', async () => {
    const client = clientOf(Wallet.createRandom().connect(node))
    for (const read of [client.listGroups().all(), client.accountHash()])
      expect(await failureOf(read)).toMatchObject({ errorName: 'AccountDoesNotExist' })
  })

  it('says which transaction it was where the account has changed before the block', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    const { group_id } = await client.addGroup({ group_name: 'g' })
    await node.send('evm_setAutomine', [false])
    await node.send('evm_setIntervalMining', [0])
    try {
      // Of two clients: each simulates before the other's is mined.
      const both = []
      for (const count of [1, 2]) {
        both.push(failureOf(clientOf(admin.connect(node)).removeGroup({ group_id })))
        await untilPending(admin.address, count)
      }
      await node.send('evm_mine', [])
      const [failed] = (await Promise.allSettled(both)).flatMap((end) =>
        end.status === 'fulfilled' ? [end.value] : [],
      )
      expect(failed).toMatchObject({
        errorName: 'GroupDoesNotExist',
        transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/),
      })
    } finally {
      await mineAgain()
    }
  })
})

async function mineAgain() {
  await node.send('evm_setIntervalMining', [1])
  await node.send('evm_setAutomine', [true])
}

/** So many transactions of the address are known beyond those in blocks. */
async function untilPending(address: string, count: number) {
  for (;;) {
    const [all, mined] = await Promise.all(
      ['pending', 'latest'].map((tag) => node.getTransactionCount(address, tag)),
    )
    if (all! - mined! >= count) return
    await sleep(20)
  }
}

it('says of a new account whose it is, though its owner has changed to another wallet meanwhile', async () => {
  const [first, second] = await Promise.all([funded(), funded()])
  const wallets = await Promise.all([first, second].map(SIGNERS['an EIP-1193 provider']))
  let selected = 0
  const changing = {
    request: async (question: { method: string }) => {
      const answer = await wallets[selected]!.request(question)
      if (question.method === 'eth_sendTransaction') selected = 1
      return answer
    },
  }
  expect(await clientOf(changing).newAccount({ account_name: 'mine' })).toEqual({
    wallet_address: first.address,
    account_hash: accountHashOfWallet(first.address),
  })
})

describe('a transaction that waits for its block', () => {
  /** While no blocks are made. */
  const withoutBlocks = async (act: () => Promise<void>) => {
    await node.send('evm_setAutomine', [false])
    await node.send('evm_setIntervalMining', [0])
    try {
      await act()
    } finally {
      await mineAgain()
    }
  }
  const sentBy = async (client: ReturnType<typeof clientOf>): Promise<string> => {
    for (;;) {
      const sent = client.steps.find(({ step }) => step === 'sent')
      if (sent?.step === 'sent') return sent.transaction
      await sleep(20)
    }
  }
  const feesOf = async (hash: string) => {
    const { nonce, gasLimit, maxFeePerGas, data, to } = (await node.getTransaction(hash))!
    return {
      nonce,
      gasLimit,
      data,
      to,
      maxFeePerGas: maxFeePerGas! * 2n,
      maxPriorityFeePerGas: maxFeePerGas! * 2n,
    }
  }

  it('is named where the wait is ended', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const ending = new AbortController()
      const failed = failureOf(client.addGroup({ group_name: 'g' }, { signal: ending.signal }))
      const transaction = await sentBy(client)
      ending.abort(new Error('enough'))
      expect(await failed).toMatchObject({
        name: 'TransactionPending',
        transaction,
        cause: new Error('enough'),
      })
    })
  })

  it('of a usage key names its hash where the wait is ended, and shows the key to nobody', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const ending = new AbortController()
      const failed = failureOf(client.addUsageApiKey({ name: 'k' }, { signal: ending.signal }))
      await sentBy(client)
      ending.abort()
      const failure = await failed
      expect(failure.usageApiKeyHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(failure.fix).toContain(failure.usageApiKeyHash)
      expect(inspect(failure, { depth: 9 })).not.toMatch(/[A-Za-z0-9+/]{43}=/)
    })
  })

  it('and was cancelled in the wallet is said to have no effect', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const failed = failureOf(client.addGroup({ group_name: 'g' }))
      const transaction = await sentBy(client)
      const { data: _data, to: _to, gasLimit: _gas, ...fees } = await feesOf(transaction)
      await sleep(500)
      const cancel = { ...fees, to: admin.address, value: 0n, gasLimit: 21_000n }
      const { hash } = await admin.connect(node).sendTransaction(cancel)
      await node.send('evm_mine', [])
      expect(await failed).toMatchObject({
        name: 'TransactionReplaced',
        transaction,
        replacedBy: hash,
      })
    })
  })

  it('and was given a higher fee in the wallet is followed under its new hash', async () => {
    const { client, admin } = await converted(SIGNERS['a signer of ethers'])
    await withoutBlocks(async () => {
      const made = client.addGroup({ group_name: 'g' })
      const fees = await feesOf(await sentBy(client))
      await sleep(500)
      const { hash } = await admin.connect(node).sendTransaction(fees)
      await node.send('evm_mine', [])
      expect(await made).toEqual({ success: true, group_id: 1 })
      expect(client.steps.at(-1)).toMatchObject({ step: 'mined', transaction: hash })
    })
  })

  it('and is forgotten by the node is said to be dropped', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    let aheadMs = 0
    const client = clientOf(admin.connect(node), { now: () => Date.now() + aheadMs })
    await withoutBlocks(async () => {
      const failed = failureOf(client.addUsageApiKey({ name: 'k' }))
      const transaction = await sentBy(client)
      await node.send('anvil_dropTransaction', [transaction])
      aheadMs = 120_000
      const failure = await failed
      expect(failure).toMatchObject({ name: 'TransactionDropped', transaction })
      expect(failure.fix).toContain(failure.usageApiKeyHash ?? 'the hash of the key')
    })
  })
})
