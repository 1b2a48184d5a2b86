import { id, ZeroAddress } from 'ethers'
import type { Signer } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addressOf,
  cidOf,
  eventsOf,
  hashOf,
  hashOfWallet,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

type Caller = Signer & { address: string }

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

const transfer = (admin: Caller, hash: bigint, to: string) =>
  config.write(admin, 'transferChainSecuredAccountOwnership', hash, to)
const transferRefusal = (caller: Caller, hash: bigint, to: string) =>
  config.refusal(caller, 'transferChainSecuredAccountOwnership', hash, to)
const convertRefusal = (hash: bigint, admin: string, proof = id(`proof of ${admin}`)) =>
  config.refusal(config.payer, 'convertToChainSecuredAccount', hash, admin, proof)
const mayWrite = async (caller: Caller, hash: bigint) =>
  (await config.refusal(caller, 'addGroup', hash, '', '', [], [])) === undefined

describe('newChainSecuredAccount', () => {
  test("opens an unmanaged account under the calling wallet's hash", async () => {
    const admin = await config.freshWallet()
    const hash = hashOfWallet(admin.address)
    expect(await config.ask(admin, 'newChainSecuredAccount', 'Ada', 'mine')).toBe(hash)
    const receipt = await config.write(admin, 'newChainSecuredAccount', 'Ada', 'mine')
    const { timestamp = 0 } = (await config.provider.getBlock(receipt.blockNumber)) ?? {}
    expect(eventsOf(receipt)).toEqual([
      ['AccountCreated', hash, false, admin.address, 'Ada', 'mine', BigInt(timestamp)],
    ])
    const account = await config.read('accountOf', hash)
    expect([account.managed, account.adminWallet, account.name, account.description]).toEqual([
      false,
      admin.address,
      'Ada',
      'mine',
    ])
    expect(account.apiKeyHashes.toArray(true)).toEqual([[hash, false]])
    expect(await mayWrite(admin, hash)).toBe(true)
  })

  test('is rejected for a wallet that has an account, or that transferred its account', async () => {
    const { admin, hash } = await config.newChainSecuredAccount()
    const refusal = () => config.refusal(admin, 'newChainSecuredAccount', '', '')
    expect(await refusal()).toEqual(['AccountAlreadyExists', hash])
    await transfer(admin, hash, addressOf('received'))
    expect(await refusal()).toEqual(['AccountAlreadyExists', hash])
  })

  test('is rejected for a wallet that received an account without asking', async () => {
    const { admin, hash } = await config.newChainSecuredAccount()
    const target = await config.freshWallet()
    await transfer(admin, hash, target.address)
    expect(await config.refusal(target, 'newChainSecuredAccount', '', '')).toEqual([
      'AccountAlreadyExists',
      hash,
    ])
  })
})

describe('convertToChainSecuredAccount', () => {
  test('transfers the account to the wallet, with everything in it', async () => {
    const hash = await config.newAccount('converted')
    const write = (name: string, ...args: unknown[]) =>
      config.write(config.payer, name, hash, ...args)
    await write('registerWalletDerivation', pkpIdOf('w'), pkpIdOf('p'), 'w', '')
    await write('addGroup', 'g', '', [pkpIdOf('w')], [])
    await write('addActionToGroup', 1n, cidOf('a'), 'a', '')
    await write('setUsageApiKey', hashOf('k'), usageKey({ executeInGroups: [1n] }))
    const before = (await config.read('accountOf', hash)).toObject()
    const admin = await config.freshWallet()
    const receipt = await config.convert(hash, admin.address)
    const alias = hashOfWallet(admin.address)
    expect(eventsOf(receipt)).toEqual([
      ['AccountConverted', hash, admin.address],
      ['AliasSet', hash, alias, admin.address],
    ])
    const after = (await config.read('accountOf', alias)).toObject()
    expect(after).toEqual({
      ...before,
      managed: false,
      adminWallet: admin.address,
      apiKeyHashes: after.apiKeyHashes,
    })
    expect(after.apiKeyHashes.toArray(true)).toEqual([
      [hash, false],
      [alias, false],
    ])
    expect([await mayWrite(admin, hash), await mayWrite(config.payer, hash)]).toEqual([true, false])
  })

  test('accepts an alias; events name the account', async () => {
    const hash = await config.newAccount('converted by alias')
    await config.write(config.payer, 'rotateAccountApiKey', hash, hashOf('its alias'))
    const admin = addressOf('admin by alias')
    expect(eventsOf(await config.convert(hashOf('its alias'), admin))).toEqual([
      ['AccountConverted', hash, admin],
      ['AliasSet', hash, hashOfWallet(admin), admin],
    ])
  })

  test('is rejected with a usage key or a rotated key', async () => {
    const hash = await config.newAccount('not by these')
    await config.write(config.payer, 'setUsageApiKey', hash, hashOf('their usage'), usageKey())
    await config.write(config.payer, 'rotateAccountApiKey', hash, hashOf('their next'))
    const admin = addressOf('never admin')
    expect(await convertRefusal(hashOf('their usage'), admin)).toEqual([
      'NotMasterAccount',
      hashOf('their usage'),
    ])
    expect(await convertRefusal(hash, admin)).toEqual(['ApiKeyRevoked', hash])
  })

  test('is rejected for the zero address and for an account that does not exist', async () => {
    const hash = await config.newAccount('to nobody')
    expect(await convertRefusal(hash, ZeroAddress)).toEqual([
      'InvalidRequest',
      'the new admin is the zero address',
    ])
    expect(await convertRefusal(hashOf('nobody'), addressOf('x'))).toEqual([
      'AccountDoesNotExist',
      hashOf('nobody'),
    ])
  })

  test('is rejected for a wallet that is or was an admin of any account, in either mode', async () => {
    const hash = await config.newAccount('to an owner')
    const own = (await config.read('accountOf', hash)).adminWallet
    const other = await config.newAccount('owner of a derived wallet')
    const { admin: former, hash: given } = await config.newChainSecuredAccount()
    const current = addressOf('current admin')
    await transfer(former, given, current)
    for (const [wallet, owned] of [
      [own, hash],
      [addressOf('owner of a derived wallet'), other],
      [former.address, given],
      [current, given],
    ])
      expect(await convertRefusal(hash, wallet)).toEqual(['AccountAlreadyExists', owned])
  })

  test('replay: rejects a proof that was used for another account', async () => {
    const [first, second] = [await config.newAccount('one'), await config.newAccount('two')]
    const proof = id('the proof')
    const args = [addressOf('admin of one'), proof]
    await config.write(config.payer, 'convertToChainSecuredAccount', first, ...args)
    expect(await convertRefusal(second, addressOf('admin of two'), proof)).toEqual([
      'TypedDataAlreadyUsed',
      proof,
    ])
  })

  test('is irreversible: neither converting again nor a payer restores API mode', async () => {
    const hash = await config.newAccount('no way back')
    const admin = await config.freshWallet()
    await config.convert(hash, admin.address)
    const again = [hash, addressOf('someone'), id('another proof')]
    for (const caller of [admin, config.payer, config.owner]) {
      expect(await config.refusal(caller, 'convertToChainSecuredAccount', ...again)).toEqual([
        'InvalidRequest',
        'the account is not managed',
      ])
    }
    const open = [hash, addressOf('new wallet'), '', '']
    expect(await config.refusal(config.payer, 'newAccount', ...open)).toEqual([
      'AccountAlreadyExists',
      hash,
    ])
  })
})

describe('transferChainSecuredAccountOwnership', () => {
  let hash: bigint
  let admin: Caller
  let former: Caller
  let converted: Caller
  let taken: { admin: Caller; hash: bigint }
  const managedHash = hashOf('a managed account')
  const managedWallet = () => config.wallet(3)

  beforeAll(async () => {
    const first = await config.newChainSecuredAccount()
    admin = await config.freshWallet()
    former = first.admin
    hash = first.hash
    await transfer(former, hash, admin.address)
    taken = await config.newChainSecuredAccount()
    const open = [managedHash, managedWallet().address, '', '']
    await config.write(config.payer, 'newAccount', ...open)
    const convertedHash = await config.newAccount('converted, to own')
    converted = await config.freshWallet()
    await config.convert(convertedHash, converted.address)
  })

  const callers: [string, () => Caller][] = [
    ["the diamond's owner", () => config.owner],
    ['the admin', () => admin],
    ['the former admin', () => former],
    ['an api payer', () => config.payer],
    ['a stranger', () => config.stranger],
    ["another account's admin", () => taken.admin],
    ["the managed account's own wallet", managedWallet],
  ]
  const target = addressOf('a wallet without a past')

  describe.each(callers)('called by %s', (name, caller) => {
    /** The expected error: the admin's own one, or NoAccountAccess for any other caller. */
    const unlessAdmin = (...refusal: unknown[]) =>
      name === 'the admin' ? refusal : ['NoAccountAccess', hash, caller().address]

    test('reverts for the zero address', async () => {
      const reason = ['InvalidRequest', 'the new admin is the zero address']
      expect(await transferRefusal(caller(), hash, ZeroAddress)).toEqual(reason)
    })

    test('reverts for an account that does not exist', async () => {
      const refusal = await transferRefusal(caller(), hashOf('nobody'), target)
      expect(refusal).toEqual(['AccountDoesNotExist', hashOf('nobody')])
    })

    test('reverts for a managed account', async () => {
      const refusal = await transferRefusal(caller(), managedHash, target)
      expect(refusal).toEqual(['InvalidRequest', 'the account is managed'])
    })

    if (name !== 'the admin') {
      test('reverts, because only the admin is allowed', async () => {
        const refusal = await transferRefusal(caller(), hash, target)
        expect(refusal).toEqual(['NoAccountAccess', hash, caller().address])
      })
    }

    test('reverts if the new admin is the current one', async () => {
      expect(await transferRefusal(caller(), hash, admin.address)).toEqual(
        unlessAdmin('InvalidRequest', 'the new admin is the admin already'),
      )
    })

    test('reverts for a wallet that owns another account, in any mode', async () => {
      for (const [owner, owned] of [
        [taken.admin.address, taken.hash],
        [managedWallet().address, managedHash],
        [converted.address, hashOf('converted, to own')],
      ] as const) {
        expect(await transferRefusal(caller(), hash, owner)).toEqual(
          unlessAdmin('AccountAlreadyExists', owned),
        )
      }
    })

    test('reverts for the former admin: ownership cannot be given back', async () => {
      expect(await transferRefusal(caller(), hash, former.address)).toEqual(
        unlessAdmin('AccountAlreadyExists', hash),
      )
    })
  })

  test('makes the new wallet the admin with that transaction, and revokes the old one', async () => {
    const account = await config.newChainSecuredAccount()
    const next = await config.freshWallet()
    await transfer(account.admin, account.hash, next.address)
    expect(await mayWrite(account.admin, account.hash)).toBe(false)
    expect(await mayWrite(next, account.hash)).toBe(true)
    const { managed, adminWallet } = await config.read('accountOf', account.hash)
    expect([managed, adminWallet]).toEqual([false, next.address])
  })

  test("makes the new wallet's hash an alias, and emits the master hash if called with an alias", async () => {
    const { admin: first, hash: master } = await config.newChainSecuredAccount()
    const [second, third] = [await config.freshWallet(), await config.freshWallet()]
    const alias = hashOfWallet(second.address)
    expect(eventsOf(await transfer(first, master, second.address))).toEqual([
      ['AliasSet', master, alias, second.address],
      ['ChainSecuredAccountOwnershipTransferred', master, first.address, second.address],
    ])
    expect(eventsOf(await transfer(second, alias, third.address))).toEqual([
      ['AliasSet', master, hashOfWallet(third.address), third.address],
      ['ChainSecuredAccountOwnershipTransferred', master, second.address, third.address],
    ])
    for (const wallet of [first, second, third])
      expect(await config.read('masterOf', hashOfWallet(wallet.address))).toBe(master)
  })

  test('never lets a former admin in a chain of transfers return, by transfer, opening or converting', async () => {
    const { admin: first, hash: master } = await config.newChainSecuredAccount()
    const chain: Caller[] = [first]
    for (let step = 0; step < 4; step++) {
      const next = await config.freshWallet()
      await transfer(chain.at(-1) ?? first, master, next.address)
      chain.push(next)
    }
    const last = chain.at(-1) ?? first
    const managed = await config.newAccount('would be converted')
    for (const earlier of chain.slice(0, -1)) {
      const owned = ['AccountAlreadyExists', master]
      expect(await transferRefusal(last, master, earlier.address)).toEqual(owned)
      expect(await convertRefusal(managed, earlier.address)).toEqual(owned)
      expect(await config.refusal(earlier, 'newChainSecuredAccount', '', '')).toEqual(owned)
      expect(await mayWrite(earlier, master)).toBe(false)
      expect(await mayWrite(earlier, hashOfWallet(earlier.address))).toBe(false)
    }
  })

  test('rejects a hash that resolves only by a usage key', async () => {
    const account = await config.newChainSecuredAccount()
    const usage = hashOf('usage of a chain secured account')
    await config.write(account.admin, 'setUsageApiKey', account.hash, usage, usageKey())
    expect(await transferRefusal(account.admin, usage, target)).toEqual([
      'AccountDoesNotExist',
      usage,
    ])
  })
})
