/** ChainSecured mode of the client at a real origin and chain: successful operations. */
import { Wallet } from 'ethers'
import { afterAll, describe, expect, it } from 'vitest'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import { makeChainSecured } from '../../origin/http/chain-secured.ts'
import { failureOf, startAdmins } from './admins.ts'

const SIGN = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message)
}`
const CID = `Qm${'a'.repeat(44)}`
const OTHER_CID = `Qm${'b'.repeat(44)}`
const THERE_IS_NO_WAY_BACK = 'there is no way back'

const { origin, node, clientOf, funded, SIGNERS, converted, close } = await startAdmins()
afterAll(close)

describe.each(Object.entries(SIGNERS))('every operation by %s', (_name, signerOf) => {
  it('writes to the contract, and reads from it what the API lists', async () => {
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

    /** Reads from the API at the latest block, with a key that can read every group. */
    const listed = async (path: string) => {
      await origin.services.mirror.syncTo(await node.getBlockNumber())
      const answer = (await origin.core(path, { key: key.usage_api_key })).body
      // The time of a key's last use is not on-chain.
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

  it('creates a usage key that runs an action with a wallet of the account', async () => {
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

  it('creates an account, and transfers it permanently', async () => {
    const wallet = await funded()
    const client = clientOf(await signerOf(wallet))
    const opened_ = await client.newAccount({ account_name: 'mine', account_description: '' })
    expect(opened_).toEqual({
      wallet_address: wallet.address,
      account_hash: accountHashOfWallet(wallet.address),
    })
    // Requested from the service at once: it waits until the service has seen the account.
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

it('reads from the contract what the API listed before the account was converted', async () => {
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

describe('the spending cap of a usage key', () => {
  it('is set by a proof of the wallet, after the key is on-chain', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const cap = { spend_cap_cents: 100, spend_window_seconds: 3600 }
    const { usage_api_key, usage_api_key_hash } = await client.addUsageApiKey({ name: 'k', ...cap })
    const account = await client.accountHash()
    expect(await origin.services.credits.caps(account)).toMatchObject([
      { keyHash: usage_api_key_hash, capCents: 100, windowSeconds: 3600 },
    ])
    const sent = client.steps.filter(({ step }) => step === 'sent').length
    await client.updateUsageApiKey({ usage_api_key, remove_spend_cap: true })
    expect(await origin.services.credits.caps(account)).toEqual([])
    expect(client.steps.filter(({ step }) => step === 'sent')).toHaveLength(sent)
  })

  it('generated client: null leaves a field unchanged, including the cap', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const cap = { spend_cap_cents: 100, spend_window_seconds: 3600 }
    const { usage_api_key } = await client.addUsageApiKey({ name: 'k', ...cap })
    const nulls = { spend_cap_cents: null, spend_window_seconds: null, description: null }
    await client.updateUsageApiKey({ usage_api_key, name: 'renamed', ...(nulls as object) })
    const [key] = await client.listApiKeys().all()
    expect(key).toMatchObject({ name: 'renamed', description: '', ...cap })
  })

  it('is listed with the contract data of the key, with one proof', async () => {
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

  it('is rejected if incomplete, before the wallet is asked', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const half = { name: 'k', spend_cap_cents: 100 }
    expect(await failureOf(client.addUsageApiKey(half))).toMatchObject({ field: 'spend_cap_cents' })
    expect(client.steps).toEqual([])
  })
})

it('reads its account with a proof', async () => {
  const { admin, client } = await converted(SIGNERS['a signer of ethers'])
  const account = { wallet_address: admin.address, managed: false, email: null }
  expect(await client.getAccount()).toMatchObject(account)
})

describe('transactions', () => {
  it('are sent with one proof of their own purpose, and read with the one for billing', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const { pkp_id, wallet_address } = await client.createWallet()
    await node.send('anvil_setBalance', [wallet_address, '0xde0b6b3a7640000'])
    client.steps.length = 0
    const payment = { pkp_id, chain: 'ethereum', to: wallet_address, value: 1n }
    const first = await client.sendTransaction(payment, { idempotencyKey: 'one' })
    const again = await client.sendTransaction(payment, { idempotencyKey: 'one' })
    expect(again.id).toBe(first.id)
    const second = await client.sendTransaction(payment)
    await client.transactions.cancel(second.id)
    const { state } = await client.waitForTransaction(first.id, 'final')
    expect(state).toBe('final')
    expect((await client.transactions.list({ pkp_id }).all()).map(({ id }) => id)).toEqual([
      second.id,
      first.id,
    ])
    // If the service has not seen the new wallet yet, the client also reports that it waits.
    expect(client.steps.filter(({ step }) => step !== 'seen')).toEqual([
      { step: 'sign', what: 'a proof for transactions' },
      { step: 'sign', what: 'a proof for billing' },
    ])
  })
})

describe('billing', () => {
  it('requests one proof from the wallet, and a new one shortly before it expires', async () => {
    const { admin } = await converted(SIGNERS['a signer of ethers'])
    let aheadMs = 0
    const now = () => origin.services.now() + aheadMs
    const client = clientOf(admin.connect(node), { now })
    expect(await client.billing.balance()).toMatchObject({ balance_display: '$1000.00' })
    expect(await client.billing.usage().all()).toEqual(expect.any(Array))
    const signed = () => client.steps.filter(({ step }) => step === 'sign').length
    expect(signed()).toBe(1)
    aheadMs = 241_000
    await client.billing.balance()
    expect(signed()).toBe(2)
  })

  it('is rejected for a wallet without an account, and does not reuse the rejected proof', async () => {
    const client = clientOf(Wallet.createRandom().connect(node))
    for (const times of [1, 2]) {
      expect(await failureOf(client.billing.balance())).toMatchObject({ name: 'Unauthorized' })
      expect(client.steps.filter(({ step }) => step === 'sign')).toHaveLength(times)
    }
  })

  it('is aborted by a signal while the wallet asks its owner', async () => {
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

  it('does not retry an unknown key indefinitely if the clock was set back', async () => {
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

  it('requests one proof for concurrent calls', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    await Promise.all([
      client.billing.balance(),
      client.billing.balance(),
      client.billing.balance(),
    ])
    expect(client.steps.filter(({ step }) => step === 'sign')).toHaveLength(1)
  })
})

it('runs actions with its usage key, and none before it has one', async () => {
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
  it('leaves fields that it does not name unchanged, including those changed in the meantime', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const { group_id } = await client.addGroup({ group_name: 'one', cid_hashes_permitted: [0] })
    await client.updateGroup({ group_id, group_name: 'two' })
    await client.updateGroup({ group_id, cid_hashes_permitted: [] })
    expect(await client.getGroup({ group_id })).toMatchObject({
      name: 'two',
      cid_hashes_permitted: [],
    })
  })

  it('is rejected without fields, before the wallet is asked', async () => {
    const { client } = await converted(SIGNERS['a signer of ethers'])
    const refused = await failureOf(client.updateGroup({ group_id: 1 }))
    expect(refused).toMatchObject({ name: 'InvalidArgument', field: 'fields' })
    expect(client.steps).toEqual([])
  })
})

describe('an invalid value', () => {
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
  it.each(bad)('is rejected with the name of its field: %s', async (field, call) => {
    const client = clientOf(Wallet.createRandom().connect(node))
    expect(await failureOf(call(client))).toMatchObject({ name: 'InvalidArgument', field })
    expect(client.steps).toEqual([])
  })
})
