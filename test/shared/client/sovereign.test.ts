/** ChainSecured mode of the client, at a real origin and chain. */
import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { JsonRpcProvider, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRequester } from '../../../shared/client/requester.ts'
import type { Step } from '../../../shared/client/options.ts'
import type { EthereumSigner } from '../../../shared/client/sovereign/signer.ts'
import {
  sovereignAccount,
  type SovereignParts,
} from '../../../shared/client/sovereign/sovereign-account.ts'
import { accountHashOfWallet } from '../../../shared/typed-data.ts'
import { BASE_URL, fetchFrom, random, wire } from '../../origin/client/client-of.ts'
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
    setTimeout(resolve, Math.min(ms, 50))
  })

/** A client in ChainSecured mode, and the steps of its writes. */
function clientOf(signer: EthereumSigner, parts: Partial<SovereignParts> = {}) {
  const steps: Step[] = []
  const around = { fetch: fetchFrom(origin, wire), now: origin.services.now, random, sleep }
  const requester = createRequester({
    ...around,
    origin: BASE_URL,
    edge: undefined,
    retries: undefined,
    signal: undefined,
    beforeCredential: async () => {},
  })
  const onStep = (step: Step) => void steps.push(step)
  const made = sovereignAccount({ ...around, requester, signer, onStep, signal: undefined, ...parts })
  return { ...made, ...made.account, steps }
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

/** A converted account, its admin's client, and its old key, that may read yet. */
async function converted(signerOf: (wallet: any) => Promise<EthereumSigner>) {
  const key = await origin.account()
  const admin = await makeChainSecured(origin, key)
  await funded(admin)
  const client = clientOf(await signerOf(admin))
  /** What the API lists of the same account, as of the chain's last block. */
  const listed = async (path: string) => {
    await origin.services.mirror.syncTo(await node.getBlockNumber())
    return (await origin.core(path, { key })).body
  }
  return { key, admin, client, listed }
}

const failureOf = async (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error,
  )

describe.each(Object.entries(SIGNERS))('every operation by %s', (_name, signerOf) => {
  it('writes the contract, and reads of it what the API lists', async () => {
    const { client, listed } = await converted(signerOf)
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

    expect(await client.listWallets().all()).toEqual(await listed('list_wallets'))
    expect(await client.listGroups().all()).toEqual(await listed('list_groups'))
    expect(await client.listActions().all()).toEqual(await listed('list_actions'))
    for (const id of [group_id, all.group_id]) {
      const query = `?group_id=${id}`
      expect(await client.listActions({ group_id: id }).all()).toEqual(
        await listed(`list_actions${query}`),
      )
      expect(await client.listWalletsInGroup({ group_id: id }).all()).toEqual(
        await listed(`list_wallets_in_group${query}`),
      )
      expect(await client.getGroup({ group_id: id })).toEqual({
        ...(await listed(`get_group${query}`)),
      })
    }
    expect(await client.listApiKeys().all()).toEqual(await listed('list_api_keys'))

    await client.removeGroup({ group_id: gone.group_id })
    await client.removePkpFromGroup({ group_id, pkp_id: spare.wallet_address })
    await client.removeActionFromGroup({ group_id, action_ipfs_cid: CID })
    await client.deleteAction({ action_ipfs_cid: OTHER_CID })
    await client.removeUsageApiKey({ usage_api_key: key.usage_api_key_hash })
    expect(await client.listGroups().all()).toEqual(await listed('list_groups'))
    expect(await client.listActions().all()).toEqual(await listed('list_actions'))
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
    expect([run.status, run.body.response]).toEqual([200, expect.stringMatching(/^0x[0-9a-f]{130}$/)])
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
