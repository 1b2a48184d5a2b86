import { Contract, id, verifyMessage, Wallet } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

/** The complete account as stored on the chain. */
function onChain(key: string) {
  const { contractAddress, provider } = origin.services.chain
  const contract = new Contract(contractAddress, accountConfigAbi, provider)
  return contract.getFunction('accountOf')(origin.hashOf(key))
}

it('an account is recorded with its name, its description and the wallet derived from its key', async () => {
  const body = { account_name: 'Ada', account_description: 'first', email: 'ada@example.com' }
  const { api_key, wallet_address } = (await origin.core('new_account', { body })).body
  const account = await onChain(api_key)
  expect([account.name, account.description]).toEqual(['Ada', 'first'])
  const derived = addressFromPrivateKey(origin.services.keyring.accountKey(origin.hashOf(api_key)))
  expect([wallet_address, account.adminWallet]).toEqual([derived, derived])
  expect(JSON.stringify(account, (_, value) => String(value))).not.toContain('ada@example.com')
})

it('a wallet and a group are recorded with their names and descriptions', async () => {
  const key = await origin.account()
  const named = { name: 'hot', description: 'for gas' }
  const wallet = (await origin.core('create_wallet', { key, body: named })).body
  await origin.core('add_group', {
    key,
    body: {
      group_name: 'payers',
      group_description: 'who pay',
      pkp_ids_permitted: [wallet.wallet_address],
    },
  })
  const { wallets, groups } = await onChain(key)
  expect([wallets[0].name, wallets[0].description]).toEqual(['hot', 'for gas'])
  expect([groups[0].name, groups[0].description]).toEqual(['payers', 'who pay'])
  expect([...groups[0].pkpIds]).toEqual([wallet.pkp_id])
})

it('a usage key is recorded with all of its permissions', async () => {
  const key = await origin.account()
  for (const name of ['one', 'two', 'three', 'four']) await origin.group(key, { name })
  const body = {
    name: 'ci',
    description: 'deploys',
    can_create_groups: true,
    can_delete_groups: true,
    can_create_pkps: true,
    manage_ipfs_ids_in_groups: [1],
    add_pkp_to_groups: [2],
    remove_pkp_from_groups: [3],
    execute_in_groups: ['4'],
  }
  const made = (await origin.core('add_usage_api_key', { key, body })).body
  const [{ apiKeyHash, key: granted }] = (await onChain(key)).usageApiKeys
  expect(apiKeyHash).toBe(BigInt(made.usage_api_key_hash))
  const recorded: unknown = JSON.parse(
    JSON.stringify(granted.toObject(), (_, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    ),
  )
  expect(recorded).toEqual({
    name: 'ci',
    description: 'deploys',
    canCreateGroups: true,
    canDeleteGroups: true,
    canCreatePkps: true,
    manageIpfsIdsInGroups: [1],
    addPkpToGroups: [2],
    removePkpFromGroups: [3],
    executeInGroups: [4],
  })
})

it('a wallet in two groups can be used by the actions of both', async () => {
  const key = await origin.account()
  const wallet = await origin.wallet(key)
  const sign = (salt: string) => `async function main({ pkpId }) { // ${salt}
    return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage('m')
  }`
  for (const salt of ['a', 'b']) {
    const cid = (await origin.core('get_svc_action_ipfs_id', { body: sign(salt) })).body
    const grants = { pkp_ids_permitted: [wallet.pkp_id], cid_hashes_permitted: [id(cid)] }
    const group = await origin.group(key, grants)
    const usage = await origin.usageKey(key, { execute_in_groups: [group] })
    const run = await origin.run(usage, sign(salt), { pkpId: wallet.pkp_id })
    expect(verifyMessage('m', run.body.response)).toBe(wallet.wallet_address)
  }
})

it('each lookup rejects an ID that is not a CIDv0', async () => {
  const key = await origin.account()
  for (const name of ['getSvcActionPublicKey', 'getSvcActionWalletAddress'])
    for (const ipfsId of ['Qm', `Q${'m'.repeat(45)}0`, 'bafybeigdyrzt5sfp7udm7hu76uh7y26']) {
      const code = `async function main({ ipfsId }) { return Svc.Actions.${name}({ ipfsId }) }`
      const run = await origin.run(key, code, { ipfsId })
      expect([run.status, run.body]).toEqual([500, expect.stringContaining('CIDv0')])
    }
})

it('an action’s own key, public key and address match', async () => {
  const key = await origin.account()
  const code = `async function main() { return Svc.Actions.getSvcActionPrivateKey() }`
  const { body } = await origin.run(key, code)
  const own = new Wallet(body.response)
  const look = `async function main({ ipfsId }) { return [
    await Svc.Actions.getSvcActionPublicKey({ ipfsId }),
    await Svc.Actions.getSvcActionWalletAddress({ ipfsId }),
  ] }`
  const found = await origin.run(key, look, { ipfsId: body.action_cid })
  expect(found.body.response).toEqual([own.signingKey.publicKey, own.address])
})

it('canary: keys that were shown are neither on the chain nor in the log', async () => {
  const key = await origin.account()
  const usage = await origin.usageKey(key, {})
  await origin.run(key, 'async function main() { return 1 }')
  const account = JSON.stringify(await onChain(key), (_, value) => String(value))
  const logs = JSON.stringify(origin.logs)
  for (const canary of [key, usage]) {
    expect(account).not.toContain(canary)
    expect(logs).not.toContain(canary)
  }
})
