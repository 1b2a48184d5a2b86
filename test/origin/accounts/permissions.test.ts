import fc from 'fast-check'
import { id, keccak256 } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountGroup, AccountUsageKey } from '../../../origin/accounts/account.ts'
import { cidHash } from '../../../shared/cid/cid-format.ts'
import { accountConfig } from '../../../origin/accounts/chain.ts'
import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import { permissionToRun, walletForRun } from '../../../origin/accounts/permissions.ts'
import type { Account, Principal } from '../../../origin/accounts/account.ts'
import type { AccountsState } from '../../../origin/accounts/state.ts'
import { grants, type Mirrored, newAddress, newHash, startMirrored, WALLETS } from './mirrored.ts'

const CIDS = ['QmOne', 'QmTwo', 'QmThree']
const pkpIdOf = (text: string) => `0x${'0'.repeat(24)}${id(text).slice(26)}`

/** An account with these groups, numbered from 1. */
function accountWith(groups: { cids?: string[]; pkps?: string[] }[], managed = true): Account {
  const made = groups.map(({ cids = [], pkps = [] }, n): [number, AccountGroup] => [
    n + 1,
    { id: n + 1, name: '', description: '', cidHashes: new Set(cids), pkpIds: new Set(pkps) },
  ])
  const texts = { name: '', description: '' }
  const wallets = ['a', 'b'].map((one) => ({
    pkpId: pkpIdOf(one),
    derivationPath: id(one),
    ...texts,
  }))
  return {
    hash: id('account'),
    managed,
    adminWallet: WALLETS[0],
    ...texts,
    createdAt: 0,
    hashes: new Map(),
    wallets: new Map(wallets.map((wallet) => [wallet.pkpId, wallet])),
    groups: new Map(made),
    usageKeys: new Map(),
    actions: new Map(),
  }
}
const own = (account: Account): Principal => ({ account, keyHash: account.hash })
const usage = (account: Account, ...executeInGroups: number[]): Principal => {
  const usageKey = { executeInGroups: new Set(executeInGroups) } as unknown as AccountUsageKey
  return { account, keyHash: id('usage'), usageKey }
}
const oneHash = cidHash('QmOne')
const groupsOf = (principal: Principal, cid = 'QmOne') =>
  permissionToRun(principal, cid)?.groups.map((group) => group.id)

describe('permission to run an action', () => {
  it('is granted to a usage key if a listed group permits the action', () => {
    const account = accountWith([{ cids: [oneHash] }, { cids: [cidHash('QmTwo')] }])
    expect(groupsOf(usage(account, 1, 2))).toEqual([1])
    expect(groupsOf(usage(account, 2))).toBeUndefined()
    expect(groupsOf(usage(account))).toBeUndefined()
  })

  it('is not granted by a listed group that was removed', () => {
    expect(groupsOf(usage(accountWith([{ cids: [oneHash] }]), 7))).toBeUndefined()
  })

  it('is granted to a usage key with 0 by every group that permits the action, and by no other', () => {
    const account = accountWith([{ cids: [oneHash] }, { cids: [WILDCARD] }, {}])
    expect(groupsOf(usage(account, 0))).toEqual([1, 2])
    expect(groupsOf(usage(accountWith([{}]), 0))).toBeUndefined()
  })

  it('is granted to the account’s own key for any action, but without wallets if no group permits it', () => {
    const account = accountWith([{ pkps: [WILDCARD] }])
    const permission = permissionToRun(own(account), 'QmOne')!
    expect(permission.groups).toEqual([])
    const answer = walletForRun(own(account), permission, pkpIdOf('a'))
    expect(answer).toEqual({ allowed: false, reason: 'not_permitted' })
  })

  it('converted account: is denied to the old key, and unchanged for usage keys', () => {
    const account = accountWith([{ cids: [WILDCARD] }], false)
    expect(permissionToRun(own(account), 'QmOne')).toBeUndefined()
    expect(groupsOf(usage(account, 1))).toEqual([1])
  })

  it('unregistered wallet: a group that permits all wallets does not permit wallets of other accounts', () => {
    const account = accountWith([{ cids: [WILDCARD], pkps: [WILDCARD] }])
    const permission = permissionToRun(usage(account, 1), 'QmOne')!
    const ask = (text: string) => walletForRun(usage(account, 1), permission, pkpIdOf(text))
    expect(ask('a').allowed).toBe(true)
    expect(ask('another')).toEqual({ allowed: false, reason: 'not_registered' })
  })

  it('is looked up in an index if the account has thousands of groups', () => {
    const groups = Array.from({ length: 3_000 }, (_, n) => ({ cids: [cidHash(`Qm${n}`)] }))
    const account = accountWith([...groups, { cids: [WILDCARD, oneHash] }])
    expect(groupsOf(usage(account, 0), 'Qm77')).toEqual([78, 3_001])
    expect(groupsOf(usage(account, 0))).toEqual([3_001])
    const looked = { groups: 0 }
    const counted = new Map(account.groups)
    const values = counted.values.bind(counted)
    counted.values = () => {
      looked.groups += counted.size
      return values()
    }
    const principal = usage({ ...account, groups: counted }, 0)
    for (let n = 0; n < 50; n++) permissionToRun(principal, `Qm${n}`)
    // Two passes build the index, and the checks need no further pass.
    expect(looked.groups).toBeLessThanOrEqual(2 * counted.size)
  })
})

describe('the mirror and the contract', () => {
  let world: Mirrored
  beforeAll(async () => {
    world = await startMirrored()
    await world.send('evm_setAutomine', [true])
  })
  afterAll(() => world.close())

  const ids = <T>(...all: T[]) => fc.uniqueArray(fc.constantFrom(...all), { maxLength: 3 })
  const cids = ids(0n, ...CIDS.map((cid) => BigInt(cidHash(cid))))
  const cid = fc.constantFrom(...CIDS)
  const pkps = ids(WILDCARD, pkpIdOf('0'), pkpIdOf('1'))
  const pkp = fc.constantFrom(WILDCARD, pkpIdOf('0'), pkpIdOf('1'), pkpIdOf('2'))
  const group = fc.constantFrom(1, 2, 3, 4)
  const groups = ids(0, 1, 2, 3)
  const key = fc.nat({ max: 3 })
  const noText = fc.constant('')
  /** A write to an account, without the credential. Many of these are rejected, as in production. */
  const write = fc.oneof(
    fc.tuple(fc.constant('addGroup'), noText, noText, pkps, cids),
    fc.tuple(fc.constant('addGroup'), noText, noText, pkps, cids),
    fc.tuple(
      fc.constant('updateGroup'),
      group,
      fc.constantFrom(4, 8, 12),
      fc.record({ name: noText, description: noText, pkpIds: pkps, cidHashes: cids }),
    ),
    fc.tuple(fc.constant('removeGroup'), group),
    fc.tuple(fc.constant('addPkpToGroup'), group, pkp),
    fc.tuple(fc.constant('removePkpFromGroup'), group, pkp),
    fc.tuple(fc.constant('addActionToGroup'), group, cid, noText, noText),
    fc.tuple(
      fc.constant('removeActionFromGroup'),
      group,
      cid.map((one) => BigInt(cidHash(one))),
    ),
    fc.tuple(
      fc.constant('deleteAction'),
      cid.map((one) => BigInt(cidHash(one))),
    ),
    fc.tuple(fc.constant('setUsageApiKey'), key, groups),
    fc.tuple(fc.constant('setUsageApiKey'), key, groups),
    fc.tuple(fc.constant('updateUsageApiKey'), key, groups),
    fc.tuple(fc.constant('removeUsageApiKey'), key),
    fc.tuple(fc.constant('registerWalletDerivation'), pkp, fc.constant(id('p')), noText, noText),
    fc.tuple(fc.constant('rotateAccountApiKey'), fc.nat({ max: 2 })),
    fc.tuple(fc.constant('convertToChainSecuredAccount'), fc.nat({ max: 7 })),
  )

  /** The function and arguments of a write, with this run's hashes in place of the numbers. */
  const argumentsOf = (hashes: Hashes, credential: string, [name, ...rest]: unknown[]) => {
    const [first, second] = rest as [number, number[]]
    switch (name) {
      case 'setUsageApiKey':
        return [credential, hashes.usage[first]!, grants({ executeInGroups: second })]
      case 'updateUsageApiKey':
        return [credential, hashes.usage[first]!, 256, grants({ executeInGroups: second })]
      case 'removeUsageApiKey':
        return [credential, hashes.usage[first]!]
      case 'rotateAccountApiKey':
        return [credential, hashes.own[first]!]
      case 'convertToChainSecuredAccount':
        // Only occasionally: after a conversion there is little left to compare.
        return [credential, first === 0 ? hashes.admin : `0x${'0'.repeat(40)}`, newHash()]
      default:
        return [credential, ...rest]
    }
  }

  type Hashes = { own: string[]; usage: string[]; admin: string }

  /** Sends the writes one after the other. The sender and the credential vary as well. */
  const sendAll = async (hashes: Hashes, writes: [number, boolean, unknown[]][]) => {
    for (const [credential, byAdmin, one] of writes) {
      const args = argumentsOf(hashes, hashes.own[credential]!, one)
      const sender = byAdmin ? hashes.admin : WALLETS[0]
      await world.writeAs(sender, one[0] as string, ...args).catch((error: unknown) => {
        if (!/reverted/.test(String(error))) throw error
      })
    }
  }

  const byMirror = (state: AccountsState, keyHash: string, text: string, pkpId: string) => {
    const principal = state.principal(keyHash)
    const permission = principal && permissionToRun(principal, text)
    if (!principal || !permission) return false
    if (pkpId === WILDCARD) return true
    return walletForRun(principal, permission, pkpId).allowed
  }
  const byContract = async (keyHash: string, text: string, pkpId: string) => {
    const data = accountConfig.encodeFunctionData('mayExecute', [keyHash, cidHash(text), pkpId])
    const to = world.chain.contractAddress
    return BigInt(await world.chain.provider.call({ to, data })) === 1n
  }

  it('agree on every key, action and wallet after any writes', async () => {
    const { mirror } = await world.mirror()
    let admins = 0
    let permitted = 0
    let asked = 0
    const oneRun = async (writes: [number, boolean, unknown[]][]) => {
      const admin = `0x${keccak256(id(`admin ${++admins}`)).slice(26)}`
      await world.send('anvil_setBalance', [admin, '0x56bc75e2d63100000'])
      await world.send('anvil_impersonateAccount', [admin])
      const hashes: Hashes = {
        own: [newHash(), newHash(), newHash()],
        // The last is the public hash of a wallet. Anyone may register it, before or after it becomes an alias.
        usage: [newHash(), newHash(), newHash(), keccak256(admin)],
        admin,
      }
      await world.write('newAccount', hashes.own[0]!, newAddress(), '', '')
      await world.write('registerWalletDerivation', hashes.own[0]!, pkpIdOf('0'), id('p'), '', '')
      await sendAll(hashes, writes)
      await mirror.syncTo(await world.tip())
      const state = mirror.current()
      const questions = [...hashes.own, ...hashes.usage].flatMap((keyHash) =>
        CIDS.flatMap((text) =>
          [WILDCARD, pkpIdOf('0'), pkpIdOf('1'), pkpIdOf('2')].map((pkpId) => ({
            keyHash,
            text,
            pkpId,
          })),
        ),
      )
      const answers = await Promise.all(
        questions.map(async ({ keyHash, text, pkpId }) => ({
          mirror: byMirror(state, keyHash, text, pkpId),
          contract: await byContract(keyHash, text, pkpId),
        })),
      )
      permitted += answers.filter(({ contract }) => contract).length
      asked += answers.length
      expect(answers.map((answer) => answer.mirror)).toEqual(
        answers.map((answer) => answer.contract),
      )
    }
    const credential = fc.constantFrom(0, 0, 0, 0, 1, 2)
    const writes = fc.array(
      fc.tuple(credential, fc.constantFrom(false, false, false, true), write),
      {
        minLength: 25,
        maxLength: 40,
      },
    )
    await fc.assert(fc.asyncProperty(writes as never, oneRun), { numRuns: 20, endOnFailure: true })
    // A state that rejects or permits everything would prove little.
    expect(permitted / asked).toBeGreaterThan(0.02)
    expect(permitted / asked).toBeLessThan(0.9)
  })
})
