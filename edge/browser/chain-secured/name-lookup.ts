import { WILDCARD } from '../../../shared/cid/wildcard.ts'
import type { AccountView } from '../../../shared/client/sovereign/contract-codec.ts'

/** Maximum length of a shown name. A longer name could push the text that follows it out of view. */
const NAME_SHOWN_CHARACTERS = 64
const EVERY_WALLET = 'every wallet of the account, including future ones'
const EVERY_ACTION = 'every action, by any author'

export type NameLookup = {
  group: (id: bigint) => string
  /** Describes the groups of a usage key, where 0 means every group. */
  groups: (ids: readonly bigint[]) => string
  wallet: (pkpId: string) => string
  wallets: (pkpIds: readonly string[]) => string
  action: (cidHash: string) => string
  actions: (cidHashes: readonly string[]) => string
  usageKey: (hash: string) => string
}

/** Creates a name lookup for an account. If `account` is undefined, IDs are described without names. */
export function nameLookup(account: AccountView | undefined): NameLookup {
  // Replaces curly quotation marks, so that a name cannot end its own quotation.
  const named = (what: string, name: string | undefined) =>
    name ? `${what} “${name.slice(0, NAME_SHOWN_CHARACTERS).replace(/[“”]/g, '"')}”` : what
  const group = (id: bigint) =>
    named(`group ${id}`, account?.groups.find((known) => BigInt(known.id) === id)?.name)
  const wallet = (pkpId: string) => {
    if (pkpId === WILDCARD) return EVERY_WALLET
    const known = account?.wallets.find((candidate) => candidate.pkpId === pkpId)
    return named(known?.address ?? `0x${pkpId.slice(-40)}`, known?.name)
  }
  const action = (cidHash: string) => {
    if (cidHash === WILDCARD) return EVERY_ACTION
    const known = account?.actions.find((candidate) => candidate.cidHash === cidHash)
    return named(known?.cid || `the action with hash ${cidHash}`, known?.name)
  }
  const usageKey = (hash: string) => {
    const known = account?.usageApiKeys.find((candidate) => candidate.hash === hash)
    return named(`the usage key with hash ${hash}`, known?.name)
  }
  return {
    group,
    groups: (ids) =>
      ids.includes(0n)
        ? 'every group, including future ones'
        : joinNames(ids.map((id) => group(id))),
    wallet,
    // A wildcard is shown alone, because it makes other IDs redundant, and could be overlooked among hundreds of them.
    wallets: (ids) =>
      ids.includes(WILDCARD) ? EVERY_WALLET : joinNames(ids.map((id) => wallet(id))),
    action,
    actions: (hashes) =>
      hashes.includes(WILDCARD) ? EVERY_ACTION : joinNames(hashes.map((hash) => action(hash))),
    usageKey,
  }
}

const joinNames = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
