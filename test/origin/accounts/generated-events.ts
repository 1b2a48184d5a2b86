/** Generated contract events: sequences in which each event is possible after those before it. */
import fc from 'fast-check'
import { id } from 'ethers'
import type { Account } from '../../../origin/accounts/account.ts'
import type { AccountEvent } from '../../../origin/accounts/mirror/apply-event.ts'
import { AccountsState } from '../../../origin/accounts/state.ts'

export const hashOf = (text: string): string => id(text)
export const addressOf = (text: string): string => `0x${id(text).slice(26)}`
export const pkpIdOf = (text: string): string => `0x${'0'.repeat(24)}${id(text).slice(26)}`
const NOBODY = `0x${'0'.repeat(40)}`

/** Few accounts, and few IDs in each, so that events collide. */
const small = fc.integer({ min: 0, max: 4 })
const text = fc.oneof(fc.constant(''), fc.string({ unit: 'grapheme', maxLength: 12 }))
const texts = fc.record({ name: text, description: text })
const groups = fc.uniqueArray(fc.integer({ min: 0, max: 5 }).map(BigInt), { maxLength: 4 })
const cidHashes = fc.uniqueArray(
  fc.oneof(
    fc.constant(0n),
    small.map((n) => BigInt(hashOf(`cid ${n}`))),
  ),
  { maxLength: 4 },
)
const pkpIds = fc.uniqueArray(
  fc.oneof(
    fc.constant(`0x${'0'.repeat(64)}`),
    small.map((n) => pkpIdOf(`pkp ${n}`)),
  ),
  { maxLength: 4 },
)

const accountNumber = fc.integer({ min: 0, max: 2 })
const masterOf = (n: number) => BigInt(hashOf(`account ${n}`))
const of = <T extends object>(name: string, args: fc.Arbitrary<T>) =>
  fc
    .tuple(accountNumber, args)
    .map(([n, given]): AccountEvent => ({ name, args: { accountHash: masterOf(n), ...given } }))

const usageKeySet = of(
  'UsageApiKeySet',
  fc.record({
    n: small,
    key: fc.record({
      name: text,
      description: text,
      canCreateGroups: fc.boolean(),
      canDeleteGroups: fc.boolean(),
      canCreatePkps: fc.boolean(),
      manageIpfsIdsInGroups: groups,
      addPkpToGroups: groups,
      removePkpFromGroups: groups,
      executeInGroups: groups,
    }),
    createdAt: fc.bigInt({ min: 1n, max: 2_000_000_000n }),
  }),
).map(({ name, args: { n, ...args } }) => {
  // A usage key belongs to one account permanently.
  return { name, args: { ...args, usageApiKeyHash: hashOf(`usage ${args.accountHash} ${n}`) } }
})

/** `possible` completes it. */
const policySet = of(
  'WalletPolicySet',
  fc.record({
    pkpId: small.map((n) => pkpIdOf(`pkp ${n}`)),
    policy: small,
    /** Seconds since the wallet's policy was last set, and until the change takes effect. */
    waited: fc.constantFrom(1, 100),
    delay: fc.constantFrom(0, 50),
  }),
)

const event = fc.oneof(
  of(
    'GroupSet',
    fc
      .tuple(fc.bigInt({ min: 1n, max: 5n }), texts, pkpIds, cidHashes)
      .map(([groupId, both, pkps, cids]) => ({ groupId, ...both, pkpIds: pkps, cidHashes: cids })),
  ),
  of('GroupRemoved', fc.record({ groupId: fc.bigInt({ min: 1n, max: 5n }) })),
  of(
    'PkpInGroupSet',
    fc.record({
      groupId: fc.bigInt({ min: 1n, max: 5n }),
      pkpId: small.map((n) => pkpIdOf(`pkp ${n}`)),
      permitted: fc.boolean(),
    }),
  ),
  of(
    'ActionInGroupSet',
    fc.record({
      groupId: fc.bigInt({ min: 1n, max: 5n }),
      cidHash: small.map((n) => BigInt(hashOf(`cid ${n}`))),
      permitted: fc.boolean(),
    }),
  ),
  of(
    'WalletRegistered',
    fc.tuple(small, texts).map(([n, both]) => ({
      pkpId: pkpIdOf(`pkp ${n}`),
      derivationPath: hashOf(`path ${n}`),
      ...both,
    })),
  ),
  policySet,
  usageKeySet,
  of('UsageApiKeyRemoved', fc.record({ n: small })).map(({ name, args }) => ({
    name,
    args: { ...args, usageApiKeyHash: hashOf(`usage ${args.accountHash} ${args.n}`) },
  })),
  of(
    'ActionSet',
    fc.tuple(small, texts).map(([n, both]) => ({
      cidHash: BigInt(hashOf(`cid ${n}`)),
      cid: `cid ${n}`,
      ...both,
    })),
  ),
  of('ActionRemoved', fc.record({ cidHash: small.map((n) => BigInt(hashOf(`cid ${n}`))) })),
  of('AliasSet', fc.record({ n: small, isWallet: fc.boolean() })).map(({ name, args }) => ({
    name,
    args: {
      accountHash: args.accountHash,
      aliasHash: hashOf(`alias ${args.accountHash} ${args.n} ${args.isWallet}`),
      wallet: args.isWallet ? addressOf(`wallet ${args.accountHash} ${args.n}`) : NOBODY,
    },
  })),
  of('ApiKeyHashRevoked', fc.record({ n: small })).map(({ name, args }) => ({
    name,
    args: {
      accountHash: args.accountHash,
      apiKeyHash: hashOf(`alias ${args.accountHash} ${args.n} false`),
    },
  })),
  of('AccountConverted', fc.record({ n: small })).map(({ name, args }) => ({
    name,
    args: { ...args, adminWallet: addressOf(`wallet ${args.accountHash} ${args.n}`) },
  })),
)

export const created = (n: number): AccountEvent => ({
  name: 'AccountCreated',
  args: {
    accountHash: masterOf(n),
    managed: n !== 2,
    adminWallet: addressOf(`account ${n}`),
    name: `account ${n}`,
    description: '',
    createdAt: 1_700_000_000n,
  },
})

/** Blocks of events. The first block creates the three accounts that all other events refer to. */
export const blocks = fc
  .array(fc.array(event, { maxLength: 6 }), { maxLength: 12 })
  .map((rest) => possible(rest))
  .map((rest): AccountEvent[][] => [[created(0), created(1), created(2)], ...rest])

type HeldPolicy = { policy: number; time: number; pending?: { policy: number; at: number } }

/** Replaces the chosen policy by the event that the contract emits for it. */
function policyEvent({ name, args }: AccountEvent, held: Map<string, HeldPolicy>): AccountEvent {
  const { accountHash, pkpId, policy, waited, delay } = args
  const before = held.get(`${accountHash} ${pkpId}`)
  const time = (before?.time ?? 1_700_000_000) + waited
  const isPromoted = before?.pending && before.pending.at <= time
  const holds = isPromoted ? before.pending!.policy : before?.policy
  const isAtOnce = holds === undefined || delay === 0 || policy === holds
  held.set(
    `${accountHash} ${pkpId}`,
    isAtOnce ? { policy, time } : { policy: holds, time, pending: { policy, at: time + delay } },
  )
  return {
    name,
    args: {
      accountHash,
      pkpId,
      replaces: holds === undefined ? `0x${'0'.repeat(64)}` : hashOf(`policy ${holds}`),
      policyHash: hashOf(`policy ${policy}`),
      changeDelay: BigInt(policy * 50),
      isImmutable: false,
      setAt: BigInt(time),
      effectiveAt: BigInt(isAtOnce ? time : time + delay),
    },
  }
}

/**
 * Filters out what the contract never does: revoking a key hash that is not set, setting a revoked one, or setting the
 * policy of a wallet that is not registered.
 */
function possible(all: AccountEvent[][]): AccountEvent[][] {
  const set = new Set<string>()
  const revoked = new Set<string>()
  const wallets = new Set<string>()
  const held = new Map<string, HeldPolicy>()
  const isPossible = ({ name, args }: AccountEvent) => {
    if (name === 'WalletRegistered') return !!wallets.add(`${args.accountHash} ${args.pkpId}`)
    if (name === 'WalletPolicySet') return wallets.has(`${args.accountHash} ${args.pkpId}`)
    if (name === 'AliasSet') return !revoked.has(args.aliasHash) && !!set.add(args.aliasHash)
    if (name !== 'ApiKeyHashRevoked') return true
    return set.has(args.apiKeyHash) && !!revoked.add(args.apiKeyHash)
  }
  return all.map((events) =>
    events
      .filter(isPossible)
      .map((one) => (one.name === 'WalletPolicySet' ? policyEvent(one, held) : one)),
  )
}

/** All contents of a state, in a canonical order. */
export function everythingIn(state: AccountsState): unknown {
  const inOrder = (map: Iterable<[unknown, unknown]>) =>
    [...map]
      .map(([key, value]) => [String(key), plain(value)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const plain = (value: unknown): unknown => {
    if (value instanceof Map) return inOrder(value)
    if (value instanceof Set) return [...value].map(String).toSorted()
    if (value === null || typeof value !== 'object') return value
    return inOrder(Object.entries(value))
  }
  return [...state.accountsBefore([]).entries()]
    .map(([hash]) => hash)
    .toSorted()
    .map((hash) => state.account(hash) as Account)
    .map((account) => ({
      account: plain(account),
      resolves: [...account.hashes.keys(), ...account.usageKeys.keys()]
        .toSorted()
        .map((key) => [key, state.principal(key)?.account === account]),
      isNamedByWallet: [...account.hashes.keys()]
        .toSorted()
        .map((hash) => [hash, state.accountOfWallet(hash) === account]),
    }))
}
