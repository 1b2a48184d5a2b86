/**
 * Applies the contract's events (`IAccountConfigEvents.sol`). The events contain absolute values, so applying a range
 * of events a second time has no further effect. During the second time, a group or key may be missing because a later
 * event in the range removed it. Accounts are never removed, so a missing account means that events are missing.
 */
import { ZeroAddress } from 'ethers'
import {
  type Account,
  type AccountGroup,
  idSet,
  type AccountUsageKey,
  word,
  wordSet,
} from '../account.ts'
import { changedPolicy } from '../wallet-policy.ts'
import type { StoredAccount } from './account-codec.ts'
import type { Batch } from './batch.ts'

export type AccountEvent = { name: string; args: Record<string, any> }

/** Invariant: the indexes are consistent with the account records. */
export type AccountTables = {
  /** Accounts by master hash. Only an account that the current batch has changed is decoded. */
  accounts: Map<string, Account | StoredAccount>
  /**
   * Maps the hash of each account key or usage key to the account's master hash. The contract ensures that these hashes
   * are unique. Wallet hashes are excluded, because anyone can register a wallet's hash as a usage key, before or after
   * the hash identifies an account.
   */
  keyHolders: Map<string, string>
  /**
   * Maps the wallet hash of each current or former admin of a ChainSecured account to the account's master hash. A
   * wallet hash is not a credential.
   */
  walletHolders: Map<string, string>
}

/**
 * Thrown if an event refers to an account that was never created, or to a wallet that was never registered, which means
 * that earlier events are missing.
 */
export class MissingEventsError extends Error {
  constructor(subject: string) {
    super(`an event refers to ${subject} before its creation`)
    this.name = 'MissingEventsError'
  }
}

const EMPTY_MAP = new Map<any, never>()

/** @throws {MissingEventsError} */
export function applyEvent(
  { name, args }: AccountEvent,
  batch: Batch,
  tables: AccountTables,
  find: (hash: string) => Account | undefined,
): void {
  const editable = (accountHash: string | bigint) => {
    const hash = word(accountHash)
    const account = find(hash)
    if (!account) throw new MissingEventsError(`account ${hash}`)
    return batch.account(tables.accounts, account)
  }
  const edit = () => editable(args.accountHash)

  switch (name) {
    case 'AccountCreated': {
      const created = accountFromEvent(args)
      if (find(created.hash)) return
      batch.put(tables.accounts, created.hash, created)
      const named = created.managed ? tables.keyHolders : tables.walletHolders
      batch.put(named, created.hash, created.hash)
      return
    }
    case 'AliasSet': {
      const account = edit()
      const hash = word(args.aliasHash)
      const revoked = account.hashes.get(hash)?.revoked ?? false
      const isApiKey = args.wallet === ZeroAddress
      batch
        .part(account, 'hashes')
        .set(hash, isApiKey ? { revoked } : { wallet: args.wallet, revoked })
      batch.put(isApiKey ? tables.keyHolders : tables.walletHolders, hash, account.hash)
      return
    }
    case 'ApiKeyHashRevoked': {
      const account = edit()
      const hash = word(args.apiKeyHash)
      const named = account.hashes.get(hash)
      if (named) batch.part(account, 'hashes').set(hash, { ...named, revoked: true })
      return
    }
    case 'AccountConverted': {
      const account = edit()
      account.managed = false
      account.adminWallet = args.adminWallet
      return
    }
    case 'ChainSecuredAccountOwnershipTransferred':
      editable(args.masterApiKeyHash).adminWallet = args.newAdminWalletAddress
      return
    case 'WalletRegistered': {
      const pkpId = word(args.pkpId)
      const derivationPath = word(args.derivationPath)
      const wallets = batch.part(edit(), 'wallets')
      // A wallet that is registered again keeps its policy.
      const policy = wallets.get(pkpId)?.policy
      wallets.set(pkpId, { pkpId, derivationPath, ...texts(args), ...(policy && { policy }) })
      return
    }
    case 'WalletPolicySet': {
      const wallets = batch.part(edit(), 'wallets')
      const pkpId = word(args.pkpId)
      const wallet = wallets.get(pkpId)
      if (!wallet) throw new MissingEventsError(`wallet ${pkpId}`)
      const policy = changedPolicy(wallet.policy, {
        replaces: word(args.replaces),
        hash: word(args.policyHash),
        changeDelay: Number(args.changeDelay),
        isImmutable: args.isImmutable,
        setAt: Number(args.setAt),
        effectiveAt: Number(args.effectiveAt),
      })
      wallets.set(pkpId, { ...wallet, policy })
      return
    }
    case 'GroupSet': {
      const id = Number(args.groupId)
      const pkpIds = wordSet([...args.pkpIds].map(word))
      const cidHashes = wordSet([...args.cidHashes].map(word))
      batch.part(edit(), 'groups').set(id, { id, ...texts(args), pkpIds, cidHashes })
      return
    }
    case 'GroupRemoved':
      batch.part(edit(), 'groups').delete(Number(args.groupId))
      return
    case 'PkpInGroupSet':
      setGroupMember(args, batch, edit, 'pkpIds', args.pkpId)
      return
    case 'ActionInGroupSet':
      setGroupMember(args, batch, edit, 'cidHashes', args.cidHash)
      return
    case 'UsageApiKeySet': {
      const account = edit()
      const key = usageKeyFromEvent(args)
      batch.part(account, 'usageKeys').set(key.hash, key)
      batch.put(tables.keyHolders, key.hash, account.hash)
      return
    }
    case 'UsageApiKeyRemoved':
      batch.part(edit(), 'usageKeys').delete(word(args.usageApiKeyHash))
      return
    case 'ActionSet': {
      const cidHash = word(args.cidHash)
      batch.part(edit(), 'actions').set(cidHash, { cidHash, cid: args.cid, ...texts(args) })
      return
    }
    case 'ActionRemoved':
      batch.part(edit(), 'actions').delete(word(args.cidHash))
      return
    // Events about payers, node configuration and the diamond itself do not affect accounts.
    default:
  }
}

function accountFromEvent(args: Record<string, any>): Account {
  const hash = word(args.accountHash)
  const made = args.managed ? { revoked: false } : { wallet: args.adminWallet, revoked: false }
  return {
    hash,
    managed: args.managed,
    adminWallet: args.adminWallet,
    ...texts(args),
    createdAt: Number(args.createdAt),
    hashes: new Map([[hash, made]]),
    wallets: EMPTY_MAP,
    groups: EMPTY_MAP,
    usageKeys: EMPTY_MAP,
    actions: EMPTY_MAP,
  }
}

function setGroupMember(
  args: Record<string, any>,
  batch: Batch,
  edit: () => Account,
  field: 'pkpIds' | 'cidHashes',
  id: string | bigint,
): void {
  const account = edit()
  const group: AccountGroup | undefined = account.groups.get(Number(args.groupId))
  if (!group || group[field].has(word(id)) === args.permitted) return
  const others = [...group[field]].filter((one) => one !== word(id))
  const words = wordSet(args.permitted ? [...others, word(id)] : others)
  batch.part(account, 'groups').set(group.id, { ...group, [field]: words })
}

function usageKeyFromEvent({
  usageApiKeyHash,
  key,
  createdAt,
}: Record<string, any>): AccountUsageKey {
  const groups = (ids: Iterable<bigint>) => idSet([...ids].map(Number))
  return {
    hash: word(usageApiKeyHash),
    ...texts(key),
    canCreateGroups: key.canCreateGroups,
    canDeleteGroups: key.canDeleteGroups,
    canCreatePkps: key.canCreatePkps,
    manageIpfsIdsInGroups: groups(key.manageIpfsIdsInGroups),
    addPkpToGroups: groups(key.addPkpToGroups),
    removePkpFromGroups: groups(key.removePkpFromGroups),
    executeInGroups: groups(key.executeInGroups),
    createdAt: Number(createdAt),
  }
}

function texts({ name, description }: Record<string, any>): { name: string; description: string } {
  return { name, description }
}
