/**
 * Binary encoding of an account. The key hashes come first, because startup needs only them. The rest is decoded when
 * the account is read. Any change to this layout requires a new `FORMAT` in `snapshot-file.ts`.
 */
import { type Account, type AccountHash, idSet, type AccountUsageKey, wordSet } from '../account.ts'
import type { PolicyTerms, WalletPolicy } from '../wallet-policy.ts'
import { FieldReader, FieldWriter } from './byte-fields.ts'

const REVOKED = 1
const IS_WALLET = 2

const CAN_CREATE_GROUPS = 1
const CAN_DELETE_GROUPS = 2
const CAN_CREATE_PKPS = 4

const IS_IMMUTABLE = 1
const HAS_PENDING = 2

/** Immutable. References a range of a shared buffer, because a typed array per account would take another 100 bytes. */
export class StoredAccount {
  readonly #buffer: ArrayBufferLike
  readonly #start: number
  readonly #end: number

  constructor(bytes: Uint8Array) {
    this.#buffer = bytes.buffer
    this.#start = bytes.byteOffset
    this.#end = bytes.byteOffset + bytes.byteLength
  }

  get byteLength(): number {
    return this.#end - this.#start
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#buffer, this.#start, this.byteLength)
  }
}

export function decodeAccountHashes(bytes: Uint8Array) {
  const { hash, hashes, usageKeys } = readHashes(new FieldReader(bytes))
  const named = (ofWallets: boolean) =>
    hashes.filter(([, { wallet }]) => (wallet !== undefined) === ofWallets).map(([key]) => key)
  return { accountHash: hash, apiKeys: named(false), wallets: named(true), usageKeys }
}

export function encodeAccount(account: Account, to = new FieldWriter()): Uint8Array {
  const words = (set: ReadonlySet<string>) => to.list(set, (one) => to.word(one))
  const ids = (set: ReadonlySet<number>) => to.list(set, (one) => to.number(one))
  const texts = ({ name, description }: { name: string; description: string }) => {
    to.text(name)
    to.text(description)
  }

  to.word(account.hash)
  to.list([...account.hashes], ([hash, { revoked, wallet }]) => {
    to.word(hash)
    to.number((revoked ? REVOKED : 0) | (wallet === undefined ? 0 : IS_WALLET))
    if (wallet !== undefined) to.text(wallet)
  })
  to.list([...account.usageKeys.keys()], (hash) => to.word(hash))

  // A separate list, so that wallets without a policy take no space for one.
  const policies = [...account.wallets.values()].flatMap(({ pkpId, policy }) =>
    policy ? [{ pkpId, policy }] : [],
  )
  to.list(policies, ({ pkpId, policy }) => {
    to.word(pkpId)
    writePolicy(policy, to)
  })
  to.number(account.managed ? 1 : 0)
  to.text(account.adminWallet)
  texts(account)
  to.number(account.createdAt)
  to.list([...account.wallets.values()], (wallet) => {
    to.word(wallet.pkpId)
    to.word(wallet.derivationPath)
    texts(wallet)
  })
  to.list([...account.groups.values()], (group) => {
    to.number(group.id)
    texts(group)
    words(group.pkpIds)
    words(group.cidHashes)
  })
  for (const key of account.usageKeys.values()) {
    texts(key)
    to.number(encodeRights(key))
    ids(key.manageIpfsIdsInGroups)
    ids(key.addPkpToGroups)
    ids(key.removePkpFromGroups)
    ids(key.executeInGroups)
    to.number(key.createdAt)
  }
  to.list([...account.actions.values()], (action) => {
    to.word(action.cidHash)
    to.text(action.cid)
    texts(action)
  })
  return to.take()
}

export function decodeAccount(bytes: Uint8Array): Account {
  const from = new FieldReader(bytes)
  const words = () => wordSet(from.list(() => from.word()))
  const ids = () => idSet(from.list(() => from.number()))
  const texts = () => ({ name: from.text(), description: from.text() })
  // The properties are evaluated in source order, which must match the order of the encoded fields.
  const { usageKeys, hash, hashes } = readHashes(from)
  const policies = new Map(from.list(() => [from.word(), readPolicy(from)] as const))
  return {
    hash,
    hashes: new Map(hashes),
    managed: from.number() === 1,
    adminWallet: from.text(),
    ...texts(),
    createdAt: from.number(),
    wallets: new Map(
      from
        .list(() => ({ pkpId: from.word(), derivationPath: from.word(), ...texts() }))
        .map((wallet) => {
          const policy = policies.get(wallet.pkpId)
          return [wallet.pkpId, policy ? { ...wallet, policy } : wallet]
        }),
    ),
    groups: new Map(
      from
        .list(() => ({ id: from.number(), ...texts(), pkpIds: words(), cidHashes: words() }))
        .map((group) => [group.id, group]),
    ),
    usageKeys: new Map(
      usageKeys.map((key) => [
        key,
        {
          hash: key,
          ...texts(),
          ...decodeRights(from.number()),
          manageIpfsIdsInGroups: ids(),
          addPkpToGroups: ids(),
          removePkpFromGroups: ids(),
          executeInGroups: ids(),
          createdAt: from.number(),
        },
      ]),
    ),
    actions: new Map(
      from
        .list(() => ({ cidHash: from.word(), cid: from.text(), ...texts() }))
        .map((action) => [action.cidHash, action]),
    ),
  }
}

function readHashes(from: FieldReader) {
  const hash = from.word()
  const hashes = from.list((): [string, AccountHash] => {
    const key = from.word()
    const flags = from.number()
    const revoked = (flags & REVOKED) !== 0
    return [key, flags & IS_WALLET ? { wallet: from.text(), revoked } : { revoked }]
  })
  return { hash, hashes, usageKeys: from.list(() => from.word()) }
}

function writePolicy(policy: WalletPolicy, to: FieldWriter): void {
  const writeTerms = ({ hash, changeDelay, isImmutable }: PolicyTerms, otherFlags: number) => {
    to.word(hash)
    to.number(changeDelay)
    to.number((isImmutable ? IS_IMMUTABLE : 0) | otherFlags)
  }
  writeTerms(policy, policy.pending ? HAS_PENDING : 0)
  to.number(policy.setAt)
  if (!policy.pending) return
  writeTerms(policy.pending, 0)
  to.number(policy.pending.effectiveAt)
}

function readPolicy(from: FieldReader): WalletPolicy {
  const readTerms = () => {
    const [hash, changeDelay, flags] = [from.word(), from.number(), from.number()]
    const isImmutable = (flags & IS_IMMUTABLE) !== 0
    return { terms: { hash, changeDelay, isImmutable }, hasPending: (flags & HAS_PENDING) !== 0 }
  }
  const { terms, hasPending } = readTerms()
  const policy = { ...terms, setAt: from.number() }
  if (!hasPending) return policy
  return { ...policy, pending: { ...readTerms().terms, effectiveAt: from.number() } }
}

function encodeRights({
  canCreateGroups,
  canDeleteGroups,
  canCreatePkps,
}: AccountUsageKey): number {
  return (
    (canCreateGroups ? CAN_CREATE_GROUPS : 0) |
    (canDeleteGroups ? CAN_DELETE_GROUPS : 0) |
    (canCreatePkps ? CAN_CREATE_PKPS : 0)
  )
}

function decodeRights(bits: number) {
  return {
    canCreateGroups: (bits & CAN_CREATE_GROUPS) !== 0,
    canDeleteGroups: (bits & CAN_DELETE_GROUPS) !== 0,
    canCreatePkps: (bits & CAN_CREATE_PKPS) !== 0,
  }
}
