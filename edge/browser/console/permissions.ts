import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import type {
  Group,
  RegisteredAction,
  UsageKey,
  Wallet,
} from '../../../shared/client/core/account.ts'
import { comparableName, escapeInvisible, truncate } from '../components/user-text.tsx'
import type { Connection } from './connection.ts'
import { shortenId } from '../format/values.ts'

export type Permissions = {
  groups: Group[]
  wallets: Wallet[]
  actions: RegisteredAction[]
  keys: UsageKey[]
}

/** Wildcard for every group, including future ones. */
export const WILDCARD_GROUP = 0

export async function readPermissions({ client }: Connection): Promise<Permissions> {
  const [groups, wallets, actions, keys] = await Promise.all([
    client.listGroups().all(),
    client.listWallets().all(),
    client.listActions().all(),
    client.listApiKeys().all(),
  ])
  return { groups, wallets, actions, keys }
}

export const canExecuteIn = (key: UsageKey, group: Group) =>
  key.execute_in_groups.includes(WILDCARD_GROUP) || key.execute_in_groups.includes(group.group_id)

export const keysOfGroup = (group: Group, { keys }: Permissions) =>
  keys.filter((key) => canExecuteIn(key, group))

const NAME_SHOWN_CHARACTERS = 64
export const HEADING_MAX_CHARACTERS = 120

export const displayName = (name: string): string =>
  escapeInvisible(truncate(name, NAME_SHOWN_CHARACTERS))

export const nameOfGroup = ({ name, group_id }: Group) => `${displayName(name)} (${group_id})`

type NamedActions = {
  actions: readonly Pick<RegisteredAction, 'name' | 'cid_hash' | 'action_ipfs_cid'>[]
}
type NamedWallets = { wallets: readonly Pick<Wallet, 'name' | 'pkp_id' | 'wallet_address'>[] }

export function nameOfAction(cidHash: string, { actions }: NamedActions): string {
  if (cidHash === WILDCARD) return 'Every action'
  const action = actions.find(({ cid_hash }) => cid_hash === cidHash)
  const id = shortenId(action?.action_ipfs_cid ?? cidHash)
  return action && action.name !== '' ? disambiguate(action.name, id, actions) : id
}

export function nameOfWallet(pkpId: string, { wallets }: NamedWallets): string {
  if (pkpId === WILDCARD) return 'Every wallet'
  const wallet = wallets.find(({ pkp_id }) => pkp_id === pkpId)
  const id = shortenId(wallet?.wallet_address ?? `0x${pkpId.slice(-40)}`)
  return wallet && wallet.name !== '' ? disambiguate(wallet.name, id, wallets) : id
}

/** Appends the ID to a name if another item has a similar name, because usage keys can choose misleading names. */
function disambiguate(name: string, id: string, all: readonly { name: string }[]): string {
  const read = comparableName(name)
  const isAlone = all.filter((other) => comparableName(other.name) === read).length < 2
  return isAlone ? displayName(name) : `${displayName(name)} (${id})`
}

export function groupWarnings(group: Group, permissions: Permissions): string[] {
  const anyAction = group.cid_hashes_permitted.includes(WILDCARD)
  const anyWallet = group.pkp_ids_permitted.includes(WILDCARD)
  const keys = keysOfGroup(group, permissions)
  const everywhere = keys.filter((key) => key.execute_in_groups.includes(WILDCARD_GROUP))
  const dangers: string[] = []
  if (anyAction && (anyWallet || group.pkp_ids_permitted.length > 0))
    dangers.push(
      'Every action can use the wallets of this group, including one that leaks their private keys. Any key that can execute here can steal them.',
    )
  else if (anyAction) dangers.push('This group permits every action: any code can run here.')
  if (anyWallet)
    dangers.push('This group contains every wallet of the account, including future ones.')
  for (const key of everywhere)
    dangers.push(
      `The usage key ${displayName(key.name)} can execute in every group, including future ones.`,
    )
  return dangers
}
