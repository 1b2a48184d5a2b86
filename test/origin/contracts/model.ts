/** A model of one account of the contract, written by its own key, and independent of how the contract stores data. */
import { keccak256, toUtf8Bytes, ZeroHash } from 'ethers'
import type { Call } from './batch.ts'

type Texts = { name: string; description: string }
type GroupInput = Texts & { pkpIds: string[]; cidHashes: bigint[] }
/** Members in the order of the contract's struct, which is also the order of the bits of `updateUsageApiKey`. */
type UsageApiKey = Texts & {
  canCreateGroups: boolean
  canDeleteGroups: boolean
  canCreatePkps: boolean
  manageIpfsIdsInGroups: bigint[]
  addPkpToGroups: bigint[]
  removePkpFromGroups: bigint[]
  executeInGroups: bigint[]
}
type Group = Texts & { pkpIds: Set<string>; cidHashes: Set<bigint> }

const NAME = 1n
const DESCRIPTION = 2n

export class AccountModel {
  readonly wallets = new Map<string, Texts & { derivationPath: string }>()
  readonly groups = new Map<bigint, Group>()
  readonly usageApiKeys = new Map<bigint, UsageApiKey>()
  readonly actions = new Map<bigint, Texts & { cid: string }>()
  nextGroupId = 1n
  readonly #removedKeys = new Set<bigint>()

  /** @returns the name of the error, or `undefined` if the write succeeds */
  apply([name, ...args]: Call): string | undefined {
    const write = this.#writes[name]
    if (!write) throw new Error(`the model does not know ${name}`)
    return write(...(args as never[]))
  }

  mayExecute(usageApiKeyHash: bigint, cidHash: bigint, pkpId: string): boolean {
    const ids = this.usageApiKeys.get(usageApiKeyHash)?.executeInGroups ?? []
    return [...this.groups].some(
      ([groupId, group]) =>
        (ids.includes(0n) || ids.includes(groupId)) &&
        (group.cidHashes.has(cidHash) || group.cidHashes.has(0n)) &&
        (pkpId === ZeroHash ||
          (this.wallets.has(pkpId) && (group.pkpIds.has(pkpId) || group.pkpIds.has(ZeroHash)))),
    )
  }

  readonly #writes: Record<string, (...args: never[]) => string | undefined> = {
    registerWalletDerivation: (
      pkpId: string,
      derivationPath: string,
      name: string,
      description: string,
    ) => {
      this.wallets.set(pkpId, { derivationPath, name, description })
      return undefined
    },
    addGroup: (name: string, description: string, pkpIds: string[], cidHashes: bigint[]) => {
      if (!this.#hasWallets(pkpIds)) return 'WalletDoesNotExist'
      const members = { pkpIds: new Set(pkpIds), cidHashes: new Set(cidHashes) }
      this.groups.set(this.nextGroupId++, { name, description, ...members })
      return undefined
    },
    updateGroup: (groupId: bigint, fields: bigint, input: GroupInput) => {
      const group = this.groups.get(groupId)
      if (!group) return 'GroupDoesNotExist'
      if (fields & 4n && !this.#hasWallets(input.pkpIds)) return 'WalletDoesNotExist'
      if (fields & NAME) group.name = input.name
      if (fields & DESCRIPTION) group.description = input.description
      if (fields & 4n) group.pkpIds = new Set(input.pkpIds)
      if (fields & 8n) group.cidHashes = new Set(input.cidHashes)
      return undefined
    },
    removeGroup: (groupId: bigint) =>
      this.groups.delete(groupId) ? undefined : 'GroupDoesNotExist',
    addPkpToGroup: (groupId: bigint, pkpId: string) => {
      const group = this.groups.get(groupId)
      if (!group) return 'GroupDoesNotExist'
      if (!this.#hasWallets([pkpId])) return 'WalletDoesNotExist'
      group.pkpIds.add(pkpId)
      return undefined
    },
    removePkpFromGroup: (groupId: bigint, pkpId: string) => {
      const group = this.groups.get(groupId)
      group?.pkpIds.delete(pkpId)
      return group ? undefined : 'GroupDoesNotExist'
    },
    addActionToGroup: (groupId: bigint, cid: string, name: string, description: string) => {
      const group = this.groups.get(groupId)
      if (!group) return 'GroupDoesNotExist'
      const cidHash = hashOfCid(cid)
      const recorded = this.actions.get(cidHash) ?? { name: '', description: '' }
      this.actions.set(cidHash, {
        cid,
        name: name || recorded.name,
        description: description || recorded.description,
      })
      group.cidHashes.add(cidHash)
      return undefined
    },
    removeActionFromGroup: (groupId: bigint, cidHash: bigint) => {
      const group = this.groups.get(groupId)
      group?.cidHashes.delete(cidHash)
      return group ? undefined : 'GroupDoesNotExist'
    },
    setUsageApiKey: (hash: bigint, key: UsageApiKey) => {
      if (this.#removedKeys.has(hash)) return 'ApiKeyHashAlreadyRevoked'
      if (!this.#hasIssued(key)) return 'GroupDoesNotExist'
      this.usageApiKeys.set(hash, key)
      return undefined
    },
    updateUsageApiKey: (hash: bigint, fields: bigint, key: UsageApiKey) => {
      const stored = this.usageApiKeys.get(hash)
      if (!stored) return 'UsageApiKeyDoesNotExist'
      if (!this.#hasIssued(key)) return 'GroupDoesNotExist'
      const changed = Object.entries(key).filter((_, index) => fields & (1n << BigInt(index)))
      this.usageApiKeys.set(hash, { ...stored, ...Object.fromEntries(changed) })
      return undefined
    },
    removeUsageApiKey: (hash: bigint) => {
      if (!this.usageApiKeys.delete(hash)) return 'UsageApiKeyDoesNotExist'
      this.#removedKeys.add(hash)
      return undefined
    },
    addAction: (cid: string, name: string, description: string) => {
      if (this.actions.has(hashOfCid(cid))) return 'ActionAlreadyExists'
      this.actions.set(hashOfCid(cid), { cid, name, description })
      return undefined
    },
    updateActionMetadata: (cidHash: bigint, fields: bigint, name: string, description: string) => {
      const action = this.actions.get(cidHash)
      if (!action) return 'ActionDoesNotExist'
      if (fields & NAME) action.name = name
      if (fields & DESCRIPTION) action.description = description
      return undefined
    },
    deleteAction: (cidHash: bigint) => {
      if (!this.actions.delete(cidHash)) return 'ActionDoesNotExist'
      for (const { cidHashes } of this.groups.values()) cidHashes.delete(cidHash)
      return undefined
    },
  }

  #hasWallets(pkpIds: readonly string[]): boolean {
    return pkpIds.every((pkpId) => pkpId === ZeroHash || this.wallets.has(pkpId))
  }

  #hasIssued(key: UsageApiKey): boolean {
    const { manageIpfsIdsInGroups, addPkpToGroups, removePkpFromGroups, executeInGroups } = key
    return [manageIpfsIdsInGroups, addPkpToGroups, removePkpFromGroups, executeInGroups]
      .flat()
      .every((groupId) => groupId < this.nextGroupId)
  }
}

const hashOfCid = (cid: string) => BigInt(keccak256(toUtf8Bytes(cid)))
