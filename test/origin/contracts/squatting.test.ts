import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addressOf,
  hashOf,
  hashOfWallet,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

// The attacker sees every address and hash before its first use here, and owns an account.

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

type Wallet = Awaited<ReturnType<AccountConfig['freshWallet']>>
const mayWrite = async (caller: Wallet, hash: bigint) =>
  (await config.refusal(caller, 'addGroup', hash, '', '', [], [])) === undefined

describe("a wallet's hash registered as a usage key by a stranger", () => {
  /** @param removed whether the stranger also removes the key, which revokes it as a usage key */
  const squat = async (wallet: Wallet, removed: boolean) => {
    const attacker = await config.newChainSecuredAccount()
    const hash = hashOfWallet(wallet.address)
    const key = usageKey({ canCreateGroups: true, executeInGroups: [0n] })
    await config.write(attacker.admin, 'setUsageApiKey', attacker.hash, hash, key)
    if (removed) await config.write(attacker.admin, 'removeUsageApiKey', attacker.hash, hash)
    return attacker
  }
  const expectOwned = async (wallet: Wallet, master: bigint, attacker: Wallet) => {
    const hash = hashOfWallet(wallet.address)
    const account = await config.read('accountOf', hash)
    expect([account.accountHash, account.adminWallet]).toEqual([master, wallet.address])
    const revoked = account.apiKeyHashes.filter(([, isRevoked]: [bigint, boolean]) => isRevoked)
    expect(revoked).toHaveLength(0)
    expect(await mayWrite(wallet, hash)).toBe(true)
    expect(await mayWrite(attacker, hash)).toBe(false)
  }

  describe.each([
    ['and kept', false],
    ['and removed', true],
  ])('%s', (_name, removed) => {
    test('does not prevent that wallet from opening an account', async () => {
      const wallet = await config.freshWallet()
      const { admin } = await squat(wallet, removed)
      await config.write(wallet, 'newChainSecuredAccount', 'mine', '')
      await expectOwned(wallet, hashOfWallet(wallet.address), admin)
    })

    test('does not prevent a conversion to that wallet', async () => {
      const wallet = await config.freshWallet()
      const { admin } = await squat(wallet, removed)
      const hash = await config.newAccount(`converted ${removed}`)
      await config.convert(hash, wallet.address)
      await expectOwned(wallet, hash, admin)
    })

    test('does not prevent a transfer to that wallet', async () => {
      const wallet = await config.freshWallet()
      const { admin } = await squat(wallet, removed)
      const account = await config.newChainSecuredAccount()
      const args = [account.hash, wallet.address]
      await config.write(account.admin, 'transferChainSecuredAccountOwnership', ...args)
      await expectOwned(wallet, account.hash, admin)
    })
  })

  test('cannot happen once the wallet has its account, nor can its hash be revoked like a usage key', async () => {
    const { admin, hash } = await config.newChainSecuredAccount()
    const attacker = await config.newChainSecuredAccount()
    const write = (name: string, ...rest: unknown[]) =>
      config.refusal(attacker.admin, name, attacker.hash, hash, ...rest)
    expect(await write('setUsageApiKey', usageKey())).toEqual(['AccountAlreadyExists', hash])
    expect(await write('removeUsageApiKey')).toEqual([
      'UsageApiKeyDoesNotExist',
      attacker.hash,
      hash,
    ])
    expect(await mayWrite(admin, hash)).toBe(true)
  })
})

describe('an account transferred to the wallet of an account that is about to be opened', () => {
  test('neither blocks the opening nor gains access', async () => {
    const wallet = addressOf('derived for a new account')
    const attacker = await config.newChainSecuredAccount()
    const give = [attacker.hash, wallet]
    await config.write(attacker.admin, 'transferChainSecuredAccountOwnership', ...give)
    const hash = hashOf('about to be opened')
    await config.write(config.payer, 'newAccount', hash, wallet, 'victim', '')
    const account = await config.read('accountOf', hash)
    expect([account.managed, account.adminWallet, account.name]).toEqual([true, wallet, 'victim'])
    expect(account.apiKeyHashes.toArray(true)).toEqual([[hash, false]])
    expect(await mayWrite(attacker.admin, hash)).toBe(false)
    const next = await config.freshWallet()
    await config.convert(hash, next.address)
    expect(await mayWrite(next, hash)).toBe(true)
  })
})

describe("front-running a wallet's registration", () => {
  test('gains and blocks nothing: both accounts keep the same wallet, path and texts', async () => {
    const attacker = await config.newChainSecuredAccount()
    const victim = await config.newAccount('victim of a front-run')
    const args = [pkpIdOf('coveted'), pkpIdOf('its path'), 'wallet', '']
    await config.write(attacker.admin, 'registerWalletDerivation', attacker.hash, ...args)
    await config.write(config.payer, 'registerWalletDerivation', victim, ...args)
    const group = ['', '', [pkpIdOf('coveted')], [1n]]
    await config.write(config.payer, 'addGroup', victim, ...group)
    const { wallets, groups } = await config.read('accountOf', victim)
    expect(wallets.toArray(true)).toEqual([args])
    expect(groups).toHaveLength(1)
  })

  test("and using the wallet in another account's group does not affect the first account", async () => {
    const attacker = await config.newChainSecuredAccount()
    const victim = await config.newAccount('another victim')
    const args = [pkpIdOf('shared'), pkpIdOf('path'), '', '']
    await config.write(attacker.admin, 'registerWalletDerivation', attacker.hash, ...args)
    await config.write(config.payer, 'registerWalletDerivation', victim, ...args)
    const usage = hashOf('usage of the attacker')
    const key = usageKey({ executeInGroups: [0n] })
    await config.write(attacker.admin, 'addGroup', attacker.hash, '', '', [pkpIdOf('shared')], [0n])
    await config.write(attacker.admin, 'setUsageApiKey', attacker.hash, usage, key)
    expect(await config.read('mayExecute', usage, 5n, pkpIdOf('shared'))).toBe(true)
    expect((await config.read('accountOf', victim)).groups).toHaveLength(0)
    expect(await config.read('mayExecute', victim, 5n, pkpIdOf('shared'))).toBe(false)
  })
})

describe("a payer that opens an account under a wallet's hash", () => {
  test('cannot have it overwritten by that wallet, or taken over by a transfer to it', async () => {
    const wallet = await config.freshWallet()
    const hash = hashOfWallet(wallet.address)
    const open = [hash, addressOf('some wallet'), 'opened by a payer', '']
    await config.write(config.payer, 'newAccount', ...open)
    await config.write(config.payer, 'addGroup', hash, '', '', [], [])
    const taken = ['AccountAlreadyExists', hash]
    expect(await config.refusal(wallet, 'newChainSecuredAccount', '', '')).toEqual(taken)
    const { admin, hash: other } = await config.newChainSecuredAccount()
    const transfer = ['transferChainSecuredAccountOwnership', other, wallet.address] as const
    expect(await config.refusal(admin, ...transfer)).toEqual(taken)
  })
})

test('claiming the hash of a key that is being registered only makes that registration fail', async () => {
  const attacker = await config.newChainSecuredAccount()
  const seen = hashOf('seen in the mempool')
  await config.write(attacker.admin, 'setUsageApiKey', attacker.hash, seen, usageKey())
  const claimed = ['UsageApiKeyAlreadyExists', seen, attacker.hash]
  const victim = await config.newAccount('victim of a claim')
  for (const [name, ...args] of [
    ['newAccount', seen, addressOf('x'), '', ''],
    ['rotateAccountApiKey', victim, seen],
    ['setUsageApiKey', victim, seen, usageKey()],
  ] as [string, ...unknown[]][]) {
    expect(await config.refusal(config.payer, name, ...args)).toEqual(claimed)
  }
  expect(await config.refusal(config.payer, 'rotateAccountApiKey', victim, hashOf('next'))).toBe(
    undefined,
  )
})
