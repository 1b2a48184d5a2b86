/** Accounts that wallets write directly at the contract, as the origin sees them. */
import { randomBytes } from 'node:crypto'
import {
  Contract,
  JsonRpcProvider,
  solidityPackedKeccak256,
  verifyMessage,
  Wallet,
  zeroPadValue,
} from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accountConfig } from '../../../origin/accounts/chain.ts'
import { addressFromPrivateKey } from '../../../origin/keys/keyring.ts'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import { grants } from '../accounts/mirrored.ts'
import { conversionTo, convert } from './chain-secured.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

const ECHO = 'async function main(params) { return params }'
const SIGN = `async function main({ pkpId, message }) {
  return new ethers.Wallet(await Svc.Actions.getPrivateKey({ pkpId })).signMessage(message)
}`
/** 10 ether. */
const FUNDS = '0x8ac7230489e80000'

let origin: TestOrigin
let provider: JsonRpcProvider
beforeAll(async () => {
  origin = await startOrigin()
  const options = { staticNetwork: true, cacheTimeout: -1, pollingInterval: 20 }
  provider = new JsonRpcProvider(origin.rpcUrl, undefined, options)
})
afterAll(async () => {
  provider.destroy()
  await origin.close()
})

type Admin = Awaited<ReturnType<typeof fundedWallet>>

async function fundedWallet() {
  const wallet = Wallet.createRandom().connect(provider)
  await provider.send('anvil_setBalance', [wallet.address, FUNDS])
  return wallet
}
const hashOfWallet = (address: string) => solidityPackedKeccak256(['address'], [address])
const accountOf = (hash: string) => origin.services.mirror.current().account(hash)

/** Sends a transaction of the admin, and returns when it is in the mirror. */
async function write(admin: Admin, name: string, ...args: unknown[]): Promise<void> {
  const { contractAddress } = origin.services.chain
  const contract = new Contract(contractAddress, accountConfigAbi, admin)
  const receipt = await (await contract.getFunction(name).send(...args)).wait()
  await origin.services.mirror.syncTo(receipt!.blockNumber, receipt!.blockHash)
}

/** An account that a wallet opened for itself, with a usage key that was set at the contract. */
async function opened(rights: object = { executeInGroups: [0] }) {
  const admin = await fundedWallet()
  const hash = hashOfWallet(admin.address)
  await write(admin, 'newChainSecuredAccount', 'Ada', 'mine')
  const usage = randomBytes(32).toString('base64')
  await write(admin, 'setUsageApiKey', hash, origin.hashOf(usage), grants(rights))
  return { admin, hash, usage }
}
const balanceOf = async (key: string): Promise<number> =>
  (await origin.core('billing/balance', { key })).body.balance_cents

describe('an account that a wallet opened at the contract', () => {
  it('is not managed, and is identified by the hash of its admin wallet', async () => {
    const { admin, hash } = await opened()
    const admins = { managed: false, adminWallet: admin.address }
    expect(accountOf(hash)).toMatchObject({ hash, ...admins, name: 'Ada', description: 'mine' })
  })

  it('runs actions for the usage keys that its admin created, at the price for any account', async () => {
    const { admin, hash, usage } = await opened()
    expect((await origin.run(usage, ECHO, { a: 1 })).status).toBe(403)
    await write(admin, 'addGroup', hash, 'all', '', [], [0])
    const before = await balanceOf(usage)
    const { status, body } = await origin.run(usage, ECHO, { a: 1 })
    expect([status, body.response, body.charged_cents]).toEqual([200, { a: 1 }, 1])
    expect(await balanceOf(usage)).toBe(before - 1)
  })

  it('has the wallets that its admin registered, with name, description and path', async () => {
    const { admin, hash, usage } = await opened()
    const path = `0x${randomBytes(32).toString('hex')}`
    const address = addressFromPrivateKey(origin.services.keyring.walletKey(hash, path))
    const pkpId = zeroPadValue(address, 32)
    await write(admin, 'registerWalletDerivation', hash, pkpId, path, 'till', 'pays')
    await write(admin, 'addGroup', hash, 'till', '', [pkpId], [0])
    const list = await origin.core('list_wallets_in_group?group_id=1', { key: usage })
    expect(list.body).toEqual([
      {
        wallet_address: address,
        pkp_id: pkpId,
        derivation_path: path,
        name: 'till',
        description: 'pays',
      },
    ])
    const signed = await origin.run(usage, SIGN, { pkpId: address, message: 'm' })
    expect(verifyMessage('m', signed.body.response)).toBe(address)
  })

  it('keeps working after a transfer: usage keys run, and the new admin writes', async () => {
    const { admin, hash, usage } = await opened({ ...grants(), canCreateGroups: true })
    const heir = await fundedWallet()
    await write(admin, 'transferChainSecuredAccountOwnership', hash, heir.address)
    expect(accountOf(hash)).toMatchObject({ managed: false, adminWallet: heir.address })
    await expect(write(admin, 'addGroup', hash, 'late', '', [], [])).rejects.toThrow('reverted')
    const alias = hashOfWallet(heir.address)
    await write(heir, 'addGroup', alias, 'of the heir', '', [], [])
    expect([...accountOf(hash)!.groups.values()].map(({ name }) => name)).toEqual(['of the heir'])
    const refused = await origin.core('add_group', { key: usage, body: { name: 'by the key' } })
    expect(refused.status).toBe(403)
    expect(refused.body.fix).toContain(heir.address)
  })

  it('prevents its former and new admins from getting another account', async () => {
    const { admin, hash } = await opened()
    const heir = await fundedWallet()
    await write(admin, 'transferChainSecuredAccountOwnership', hash, heir.address)
    const other = await origin.account()
    for (const former of [admin, heir]) {
      const { status, headers } = await convert(origin, other, conversionTo(former))
      expect([status, headers.get('x-svc-error')]).toEqual([409, 'account_already_exists'])
    }
    expect(accountOf(origin.hashOf(other))).toMatchObject({ managed: true })
  })

  it('public wallet as key: the bytes of an admin’s address, as text, open nothing', async () => {
    const text = 'AdminOfTheAccount=20'
    const from = `0x${Buffer.from(text).toString('hex')}`
    const { contractAddress } = origin.services.chain
    await provider.send('anvil_setBalance', [from, FUNDS])
    await provider.send('anvil_impersonateAccount', [from])
    const data = accountConfig.encodeFunctionData('newChainSecuredAccount', ['n', 'd'])
    const call = { from, to: contractAddress, data, gas: '0x7a1200' }
    const transaction = await provider.send('eth_sendTransaction', [call])
    const receipt = await provider.waitForTransaction(transaction)
    await origin.services.mirror.syncTo(receipt!.blockNumber, receipt!.blockHash)
    expect(accountOf(origin.hashOf(text))).toMatchObject({ managed: false })
    expect((await origin.core('list_groups', { key: text })).status).toBe(401)
    expect((await origin.core('account_exists', { key: text })).body).toBe(false)
  })
})
