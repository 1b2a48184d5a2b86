/**
 * What the chain says of accounts, folded from the contract's events. Each event carries absolute values, so
 * that applying one twice changes nothing. Hashes and wallet ids are 0x hex of 32 bytes, lower-case.
 */
import { toBeHex } from 'ethers'

export type Wallet = { pkpId: string; derivationPath: string; name: string; description: string }

export type Group = {
  id: number
  name: string
  description: string
  pkpIds: ReadonlySet<string>
  cidHashes: ReadonlySet<string>
}

export type UsageKey = {
  hash: string
  name: string
  description: string
  canCreateGroups: boolean
  canDeleteGroups: boolean
  canCreatePkps: boolean
  manageIpfsIdsInGroups: ReadonlySet<number>
  addPkpToGroups: ReadonlySet<number>
  removePkpFromGroups: ReadonlySet<number>
  executeInGroups: ReadonlySet<number>
}

export type Account = {
  hash: string
  managed: boolean
  adminWallet: string
  name: string
  description: string
  wallets: Map<string, Wallet>
  groups: Map<number, Group>
  usageKeys: Map<string, UsageKey>
}

/** Who a key is: an account's own key, or one of its usage keys. */
export type Principal = { account: Account; keyHash: string; usageKey?: UsageKey }

/** An event as the ABI decodes it: its name and its named arguments. */
export type AccountEvent = { name: string; args: Record<string, any> }

export class AccountsState {
  readonly #accounts = new Map<string, Account>()
  readonly #usageKeyOwners = new Map<string, string>()

  get size(): number {
    return this.#accounts.size
  }

  principal(keyHash: string): Principal | undefined {
    const own = this.#accounts.get(keyHash)
    if (own) return { account: own, keyHash }
    const owner = this.#accounts.get(this.#usageKeyOwners.get(keyHash) ?? '')
    const held = owner?.usageKeys.get(keyHash)
    return owner && held ? { account: owner, keyHash, usageKey: held } : undefined
  }

  account(hash: string): Account | undefined {
    return this.#accounts.get(hash)
  }

  apply({ name, args }: AccountEvent): void {
    switch (name) {
      case 'AccountCreated': {
        const hash = word(args.accountHash)
        if (this.#accounts.has(hash)) return
        this.#accounts.set(hash, {
          hash,
          managed: args.managed,
          adminWallet: args.adminWallet,
          name: args.name,
          description: args.description,
          wallets: new Map(),
          groups: new Map(),
          usageKeys: new Map(),
        })
        return
      }
      case 'WalletRegistered': {
        const pkpId = word(args.pkpId)
        this.#of(args).wallets.set(pkpId, {
          pkpId,
          derivationPath: word(args.derivationPath),
          name: args.name,
          description: args.description,
        })
        return
      }
      case 'GroupSet': {
        const id = Number(args.groupId)
        this.#of(args).groups.set(id, {
          id,
          name: args.name,
          description: args.description,
          pkpIds: new Set([...args.pkpIds].map(word)),
          cidHashes: new Set([...args.cidHashes].map(word)),
        })
        return
      }
      case 'UsageApiKeySet': {
        const account = this.#of(args)
        const hash = word(args.usageApiKeyHash)
        account.usageKeys.set(hash, usageKey(hash, args.key))
        this.#usageKeyOwners.set(hash, account.hash)
        return
      }
      // Payers, node configuration and the diamond's own events say nothing of an account.
      default:
    }
  }

  #of(args: Record<string, any>): Account {
    const hash = word(args.accountHash)
    const account = this.#accounts.get(hash)
    if (!account) throw new Error(`an event names the account ${hash} before its creation`)
    return account
  }
}

function usageKey(hash: string, key: Record<string, any>): UsageKey {
  const groups = (ids: Iterable<bigint>) => new Set([...ids].map(Number))
  return {
    hash,
    name: key.name,
    description: key.description,
    canCreateGroups: key.canCreateGroups,
    canDeleteGroups: key.canDeleteGroups,
    canCreatePkps: key.canCreatePkps,
    manageIpfsIdsInGroups: groups(key.manageIpfsIdsInGroups),
    addPkpToGroups: groups(key.addPkpToGroups),
    removePkpFromGroups: groups(key.removePkpFromGroups),
    executeInGroups: groups(key.executeInGroups),
  }
}

/** 0x hex of 32 bytes, lower-case. */
export function word(value: bigint | string): string {
  return toBeHex(value, 32)
}
