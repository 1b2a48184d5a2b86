import { getAddress } from 'ethers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { principalOfWallet } from '../../../origin/accounts/admin-wallet.ts'
import { undo } from '../../../origin/accounts/mirror/batch.ts'
import { MissingEventsError } from '../../../origin/accounts/mirror/apply-event.ts'
import {
  decodeAccount,
  encodeAccount,
  StoredAccount,
} from '../../../origin/accounts/mirror/account-codec.ts'
import { DecodedAccounts } from '../../../origin/accounts/mirror/decoded-accounts.ts'
import type { AccountEvent } from '../../../origin/accounts/mirror/apply-event.ts'
import { AccountsState, indexAccounts } from '../../../origin/accounts/state.ts'
import { accountHashOfWallet } from '../../../shared/crypto/typed-data.ts'
import { addressOf, blocks, created, everythingIn, hashOf, pkpIdOf } from './generated-events.ts'

const NOBODY = `0x${'0'.repeat(40)}`
const master = hashOf('account 0')
const event = (name: string, args: object = {}): AccountEvent => ({
  name,
  args: { accountHash: master, ...args },
})
const alias = (text: string, wallet = NOBODY) =>
  event('AliasSet', { aliasHash: hashOf(text), wallet })
const usageKey = (text: string, executeInGroups: bigint[] = []) =>
  event('UsageApiKeySet', {
    usageApiKeyHash: hashOf(text),
    key: {
      name: text,
      description: '',
      canCreateGroups: false,
      canDeleteGroups: false,
      canCreatePkps: false,
      manageIpfsIdsInGroups: [],
      addPkpToGroups: [],
      removePkpFromGroups: [],
      executeInGroups,
    },
    createdAt: 5n,
  })
const stateOf = (...events: AccountEvent[]) => {
  const state = new AccountsState()
  state.apply(events)
  return state
}

describe('resolving a key', () => {
  it('finds the account for an alias of its API key', () => {
    const state = stateOf(created(0), alias('second'))
    const found = state.principal(hashOf('second'))
    expect(found).toMatchObject({ keyHash: hashOf('second'), account: { hash: master } })
    expect(found?.usageKey).toBeUndefined()
  })

  it('does not find a key that was rotated away, while the account keeps its hash', () => {
    const revoked = event('ApiKeyHashRevoked', { apiKeyHash: master })
    const state = stateOf(created(0), alias('second'), revoked)
    expect(state.principal(master)).toBeUndefined()
    expect(state.principal(hashOf('second'))?.account.hash).toBe(master)
    expect(state.account(master)?.hash).toBe(master)
  })

  it('revived key: does not find a revoked key if its alias is set again', () => {
    const revoked = event('ApiKeyHashRevoked', { apiKeyHash: hashOf('second') })
    const state = stateOf(created(0), alias('second'), revoked, alias('second'))
    expect(state.principal(hashOf('second'))).toBeUndefined()
  })

  it('does not find a removed usage key', () => {
    const removed = event('UsageApiKeyRemoved', { usageApiKeyHash: hashOf('usage') })
    const state = stateOf(created(0), usageKey('usage'))
    expect(state.principal(hashOf('usage'))?.usageKey?.createdAt).toBe(5)
    state.apply([removed])
    expect(state.principal(hashOf('usage'))).toBeUndefined()
  })

  it('public wallet as key: does not find an account by the hash of a wallet', () => {
    const wallet = addressOf('owner')
    const state = stateOf(created(0), created(2), alias('wallet', wallet))
    expect(state.account(hashOf('account 2'))?.managed).toBe(false)
    expect(state.principal(hashOf('account 2'))).toBeUndefined()
    expect(state.principal(hashOf('wallet'))).toBeUndefined()
  })

  it('squatted wallet: still finds a usage key after a wallet account with the same hash is created', () => {
    const state = stateOf(created(0), usageKey('account 2'), created(2))
    expect(state.principal(hashOf('account 2'))).toMatchObject({
      account: { hash: master },
      usageKey: { name: 'account 2' },
    })
  })

  it('still finds the account for its old key after a conversion', () => {
    const converted = event('AccountConverted', { adminWallet: addressOf('owner') })
    const state = stateOf(created(0), usageKey('usage'), converted)
    expect(state.principal(master)).toMatchObject({
      account: { managed: false, adminWallet: addressOf('owner') },
    })
    expect(state.principal(hashOf('usage'))?.usageKey).toBeDefined()
  })
})

describe('resolving a wallet', () => {
  const [first, second] = ['first', 'second'].map((name) => getAddress(addressOf(name))) as [
    string,
    string,
  ]
  const named = (wallet: string) =>
    event('AliasSet', { aliasHash: accountHashOfWallet(wallet), wallet })
  const converted = [event('AccountConverted', { adminWallet: first }), named(first)]
  const transferred = [
    named(second),
    {
      name: 'ChainSecuredAccountOwnershipTransferred',
      args: {
        masterApiKeyHash: master,
        previousAdminWalletAddress: first,
        newAdminWalletAddress: second,
      },
    },
  ]
  const isNobody = (wallet: string, state: AccountsState, heir?: string) =>
    expect(() => principalOfWallet(wallet, state)).toThrow(
      expect.objectContaining({ name: 'NotAdminError', wallet, currentAdmin: heir }),
    )

  it('finds the account that the wallet opened, or that was converted to it', () => {
    const opened = {
      ...created(2).args,
      adminWallet: first,
      accountHash: accountHashOfWallet(first),
    }
    const own = stateOf({ name: 'AccountCreated', args: opened })
    expect(principalOfWallet(first, own).account.hash).toBe(accountHashOfWallet(first))
    const state = stateOf(created(0), ...converted)
    const { account, keyHash, wallet } = principalOfWallet(first, state)
    expect([account.hash, keyHash, wallet]).toEqual([master, accountHashOfWallet(first), first])
  })

  it('former admin: rejects it after a transfer and names the new admin, which is accepted', () => {
    const state = stateOf(created(0), ...converted)
    isNobody(second, state)
    state.apply(transferred)
    isNobody(first, state, second)
    expect(principalOfWallet(second, state).account.hash).toBe(master)
  })

  it('transfer undone: finds the first admin again after a reorg', () => {
    const state = stateOf(created(0), ...converted)
    undo(state.apply(transferred))
    expect(principalOfWallet(first, state).account.hash).toBe(master)
    isNobody(second, state)
  })

  it('squatted hash: does not find an account for a wallet if its hash is registered as a usage key', () => {
    const squatted = usageKey('squatted')
    squatted.args.usageApiKeyHash = accountHashOfWallet(second)
    const state = stateOf(created(0), ...converted, squatted)
    isNobody(second, state)
  })

  it('managed account: does not find the account even for its own admin wallet', () => {
    const state = stateOf({ ...created(0), args: { ...created(0).args, adminWallet: first } })
    isNobody(first, state)
    state.apply([named(first)])
    isNobody(first, state)
  })
})

describe('account records', () => {
  const group = event('GroupSet', {
    groupId: 1n,
    name: 'g',
    description: '',
    pkpIds: [pkpIdOf('pkp')],
    cidHashes: [0n],
  })
  const permitted = (isPermitted: boolean) =>
    event('PkpInGroupSet', { groupId: 1n, pkpId: pkpIdOf('other'), permitted: isPermitted })

  it('are not changed by later events once returned', () => {
    const state = stateOf(created(0), group, usageKey('usage', [1n]))
    const before = state.account(master)!
    const { groups, usageKeys } = before
    state.apply([
      permitted(true),
      event('GroupRemoved', { groupId: 1n }),
      usageKey('second'),
      event('AccountConverted', { adminWallet: addressOf('owner') }),
    ])
    expect(before.managed).toBe(true)
    expect([...groups.get(1)!.pkpIds]).toEqual([pkpIdOf('pkp')])
    expect(usageKeys.size).toBe(1)
    expect(state.account(master)?.groups.size).toBe(0)
  })

  it('ignore events of a group that is removed later in the same range', () => {
    const stretch = [permitted(true), event('GroupRemoved', { groupId: 1n })]
    const state = stateOf(created(0), group, ...stretch)
    const before = everythingIn(state)
    state.apply(stretch)
    expect(everythingIn(state)).toEqual(before)
  })

  it('stay unchanged if any event of a batch belongs to an unknown account', () => {
    const state = stateOf(created(0))
    const before = everythingIn(state)
    const stranger = { name: 'GroupSet', args: { ...group.args, accountHash: hashOf('nobody') } }
    expect(() => state.apply([group, stranger])).toThrow(MissingEventsError)
    expect(everythingIn(state)).toEqual(before)
  })

  it('policy lost by registering the wallet again: keep it', () => {
    const registered = event('WalletRegistered', {
      pkpId: pkpIdOf('w'),
      derivationPath: hashOf('path'),
      name: 'w',
      description: '',
    })
    const policySet = event('WalletPolicySet', {
      pkpId: pkpIdOf('w'),
      replaces: hashOf('none'),
      policyHash: hashOf('policy'),
      changeDelay: 60n,
      isImmutable: true,
      setAt: 5n,
      effectiveAt: 5n,
    })
    const state = stateOf(created(0), registered, policySet)
    const policy = { hash: hashOf('policy'), changeDelay: 60, isImmutable: true, setAt: 5 }
    const again = { ...registered, args: { ...registered.args, name: 'again' } }
    state.apply([again])
    expect(state.account(master)?.wallets.get(pkpIdOf('w'))).toMatchObject({
      name: 'again',
      policy,
    })
    expect(() => stateOf(created(0), policySet)).toThrow(MissingEventsError)
  })

  it('without policies take one byte for them', () => {
    const wallets = [1, 2, 3].map((n) =>
      event('WalletRegistered', {
        pkpId: pkpIdOf(`${n}`),
        derivationPath: hashOf('path'),
        name: '',
        description: '',
      }),
    )
    const bytes = (...events: AccountEvent[]) =>
      encodeAccount(stateOf(created(0), ...events).account(master)!).length
    // Each wallet takes two words, and a byte for the length of each text.
    expect(bytes(...wallets) - bytes()).toBe(3 * 66)
    expect(decodeAccount(encodeAccount(stateOf(created(0), ...wallets).account(master)!))).toEqual(
      stateOf(created(0), ...wallets).account(master),
    )
  })

  it('ignore events that this version does not know', () => {
    const state = stateOf(created(0))
    expect(state.apply([{ name: 'DiamondCut', args: {} }])).toEqual([])
  })
})

describe('any sequence of events', () => {
  it('can be undone block by block, through every earlier state', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const state = new AccountsState()
        const seen: unknown[] = []
        const undos = all.map((events) => {
          seen.push(everythingIn(state))
          return state.apply(events)
        })
        const last = everythingIn(state)
        const redos = undos.toReversed().map((one, n) => {
          const redo = undo(one)
          expect(everythingIn(state)).toEqual(seen[all.length - 1 - n])
          return redo
        })
        for (const redo of redos.toReversed()) undo(redo)
        expect(everythingIn(state)).toEqual(last)
      }),
      { numRuns: 100 },
    )
  })

  it('changes nothing if applied again as a whole', () => {
    fc.assert(
      fc.property(blocks, (all) => {
        const state = new AccountsState()
        for (const events of all) state.apply(events)
        const before = everythingIn(state)
        state.apply(all.flat())
        expect(everythingIn(state)).toEqual(before)
      }),
      { numRuns: 100 },
    )
  })

  it('yields the accounts at an earlier block without changing the state', () => {
    fc.assert(
      fc.property(blocks, fc.nat(), (all, n) => {
        const back = n % (all.length + 1)
        const state = new AccountsState()
        const earlier = new AccountsState()
        const undos = all.map((events) => state.apply(events))
        for (const events of all.slice(0, all.length - back)) earlier.apply(events)
        const before = everythingIn(state)
        const accounts = state.accountsBefore(undos.slice(all.length - back))
        expect(everythingIn(new AccountsState(indexAccounts(accounts.values())))).toEqual(
          everythingIn(earlier),
        )
        expect(everythingIn(state)).toEqual(before)
      }),
      { numRuns: 100 },
    )
  })

  it('yields the accounts at a block while the state changes, also by a reorg', () => {
    fc.assert(
      fc.property(blocks, blocks, fc.nat(), (first, second, n) => {
        const state = new AccountsState()
        const earlier = new AccountsState()
        const undos = first.map((events) => state.apply(events))
        // The first block creates the accounts that later events refer to.
        const back = n % Math.max(1, undos.length)
        for (const events of first.slice(0, first.length - back)) earlier.apply(events)
        const view = state.accountsBefore(undos.slice(first.length - back))
        const read: StoredAccount[] = []
        const values = view.values()
        const readOne = () => {
          const next = values.next()
          if (!next.done) read.push(next.value)
        }
        readOne()
        for (const undone of undos.slice(first.length - back).toReversed()) undo(undone)
        readOne()
        for (const events of second.slice(1)) {
          state.apply(events)
          readOne()
        }
        read.push(...values)
        expect(read).toHaveLength(view.size)
        const { size } = state
        view.close()
        expect(everythingIn(new AccountsState(indexAccounts(read)))).toEqual(everythingIn(earlier))
        expect(state.size).toBe(size)
      }),
      { numRuns: 100 },
    )
  })

  it('continues from stored accounts as from those in memory', () => {
    fc.assert(
      fc.property(blocks, blocks, (first, second) => {
        const whole = new AccountsState()
        for (const events of first) whole.apply(events)
        const resumed = new AccountsState(indexAccounts(whole.accountsBefore([]).values()))
        for (const state of [whole, resumed])
          for (const events of second.slice(1)) state.apply(events)
        expect(everythingIn(resumed)).toEqual(everythingIn(whole))
      }),
      { numRuns: 100 },
    )
  })
})

describe('the memory of the mirror', () => {
  const storedOf = (n: number) => {
    const [account] = stateOf(created(n)).accountsBefore([]).values()
    return account!
  }

  it('memory exhaustion: holds no account in decoded form, however many were created and read', () => {
    const state = stateOf(created(0), created(1), usageKey('usage', [1n]))
    expect(state.principal(hashOf('usage'))?.account.hash).toBe(master)
    state.apply([usageKey('usage', [2n])])
    const held = [...state.accountsBefore([]).values()]
    expect(held).toHaveLength(2)
    for (const account of held) expect(account).toBeInstanceOf(StoredAccount)
  })

  it('decodes an account in use once', () => {
    const stored = storedOf(0)
    const cache = new DecodedAccounts(4 * stored.byteLength)
    const account = cache.get(stored)
    for (let n = 1; n < 50; n++) {
      cache.get(storedOf(n))
      expect(cache.get(stored)).toBe(account)
    }
  })

  it('memory exhaustion: drops decoded accounts that are no longer in use', () => {
    const stored = storedOf(0)
    const cache = new DecodedAccounts(4 * stored.byteLength)
    const account = cache.get(stored)
    for (let n = 1; n < 50; n++) cache.get(storedOf(n))
    expect(cache.size).toBeLessThanOrEqual(9)
    expect(cache.get(stored)).not.toBe(account)
    expect(cache.get(stored)).toEqual(account)
  })

  it('can reference a range of a larger buffer', () => {
    const bytes = encodeAccount(stateOf(created(0)).account(master)!)
    const buffer = new Uint8Array(bytes.length + 20)
    buffer.set(bytes, 7)
    const part = new StoredAccount(buffer.subarray(7, 7 + bytes.length))
    expect([part.byteLength, Buffer.from(part.bytes)]).toEqual([bytes.length, Buffer.from(bytes)])
  })
})
