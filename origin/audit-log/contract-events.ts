/** Converts events of the contract to entries. The keys of members are those of the API. */
import type { HashedEntry } from '../../shared/audit-log/entry.ts'
import { word } from '../accounts/account.ts'
import { storableText } from './storable-text.ts'

export type ContractEvent = { name: string; args: Record<string, any> }

type EventMembers = Record<string, string | number | boolean | null | (string | number)[]>

/** Members that identify what was changed. */
const SUBJECTS = ['group_id', 'pkp_id', 'usage_api_key_hash', 'cid_hash'] as const

/** Returns the account that an event changes. Undefined for events about payers and the deployment. */
export function accountOfEvent({ args }: ContractEvent): string | undefined {
  const hash = args.accountHash ?? args.masterApiKeyHash
  return hash === undefined ? undefined : word(hash)
}

export function eventOperation(name: string): string {
  return name.replaceAll(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
}

export function changeOf(events: readonly ContractEvent[]): {
  subject: HashedEntry['subject']
  events: ({ event: string } & EventMembers)[]
} {
  const read = events.map((event) => {
    return { event: eventOperation(event.name), ...membersOf(event) } as {
      event: string
    } & EventMembers
  })
  const subject: HashedEntry['subject'] = {}
  for (const members of read)
    for (const name of SUBJECTS) {
      const value = members[name]
      if (typeof value === 'string' || typeof value === 'number') subject[name] ??= value
    }
  return { subject, events: read }
}

function membersOf({ name, args }: ContractEvent): EventMembers {
  const words = (values: Iterable<bigint | string>) => [...values].map(word)
  const ids = (values: Iterable<bigint>) => [...values].map(groupId)
  const texts = ({ name: text, description }: Record<string, any>) => ({
    name: storableText(text),
    description: storableText(description),
  })
  switch (name) {
    case 'AccountCreated':
      return { managed: args.managed, admin_wallet: args.adminWallet, ...texts(args) }
    case 'WalletRegistered':
      return {
        pkp_id: word(args.pkpId),
        derivation_path: word(args.derivationPath),
        ...texts(args),
      }
    case 'WalletPolicySet':
      return {
        pkp_id: word(args.pkpId),
        replaces: word(args.replaces),
        policy_hash: word(args.policyHash),
        change_delay_s: String(args.changeDelay),
        is_immutable: args.isImmutable,
        set_at: String(args.setAt),
        effective_at: String(args.effectiveAt),
      }
    case 'GroupSet':
      return {
        group_id: groupId(args.groupId),
        ...texts(args),
        pkp_ids_permitted: words(args.pkpIds),
        cid_hashes_permitted: words(args.cidHashes),
      }
    case 'GroupRemoved':
      return { group_id: groupId(args.groupId) }
    case 'PkpInGroupSet':
      return {
        group_id: groupId(args.groupId),
        pkp_id: word(args.pkpId),
        permitted: args.permitted,
      }
    case 'ActionInGroupSet':
      return {
        group_id: groupId(args.groupId),
        cid_hash: word(args.cidHash),
        permitted: args.permitted,
      }
    case 'ActionSet':
      return { cid_hash: word(args.cidHash), cid: storableText(args.cid), ...texts(args) }
    case 'ActionRemoved':
      return { cid_hash: word(args.cidHash) }
    case 'UsageApiKeySet': {
      const { key } = args
      return {
        usage_api_key_hash: word(args.usageApiKeyHash),
        ...texts(key),
        can_create_groups: key.canCreateGroups,
        can_delete_groups: key.canDeleteGroups,
        can_create_pkps: key.canCreatePkps,
        manage_ipfs_ids_in_groups: ids(key.manageIpfsIdsInGroups),
        add_pkp_to_groups: ids(key.addPkpToGroups),
        remove_pkp_from_groups: ids(key.removePkpFromGroups),
        execute_in_groups: ids(key.executeInGroups),
      }
    }
    case 'UsageApiKeyRemoved':
      return { usage_api_key_hash: word(args.usageApiKeyHash) }
    case 'AliasSet': {
      const isWallet = BigInt(args.wallet) !== 0n
      return { api_key_hash: word(args.aliasHash), wallet: isWallet ? args.wallet : null }
    }
    case 'ApiKeyHashRevoked':
      return { api_key_hash: word(args.apiKeyHash) }
    case 'AccountConverted':
      return { admin_wallet: args.adminWallet }
    case 'ChainSecuredAccountOwnershipTransferred':
      return {
        previous_admin_wallet: args.previousAdminWalletAddress,
        admin_wallet: args.newAdminWalletAddress,
      }
    default:
      return {}
  }
}

/** An admin wallet can list any uint256 in the permissions of a key. */
function groupId(id: bigint): number | string {
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : String(id)
}
