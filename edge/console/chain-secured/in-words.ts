/** Adds the names given by the admin to an account's IDs, because a bare ID does not show what is being changed. */
import type { AccountView } from '../../../shared/client/sovereign/contract-coding.ts'

const ZERO_WORD = `0x${'0'.repeat(64)}`
/** Long enough to recognize a name. A longer one could push the text after it out of view. */
const NAME_SHOWN_CHARACTERS = 64
const EVERY_WALLET = 'every wallet of the account, later ones too'
const EVERY_ACTION = 'every action, whoever wrote it'

export type Words = {
  group: (id: bigint) => string
  /** For the group arrays of usage keys, in which 0 means every group. */
  groups: (ids: readonly bigint[]) => string
  wallet: (pkpId: string) => string
  wallets: (pkpIds: readonly string[]) => string
  action: (cidHash: string) => string
  actions: (cidHashes: readonly string[]) => string
  usageKey: (hash: string) => string
}

/**
 * @param account current state of the account in the contract; undefined if it could not be read, in which case IDs are
 * shown without names
 */
export function inWords(account: AccountView | undefined): Words {
  // Quotation marks in a name are replaced, so that a name cannot close its own quotes.
  const named = (what: string, name: string | undefined) =>
    name ? `${what} “${name.slice(0, NAME_SHOWN_CHARACTERS).replace(/[“”]/g, '"')}”` : what
  const group = (id: bigint) =>
    named(`group ${id}`, account?.groups.find((known) => BigInt(known.id) === id)?.name)
  const wallet = (pkpId: string) => {
    if (pkpId === ZERO_WORD) return EVERY_WALLET
    const known = account?.wallets.find((candidate) => candidate.pkpId === pkpId)
    return named(known?.address ?? `0x${pkpId.slice(-40)}`, known?.name)
  }
  const action = (cidHash: string) => {
    if (cidHash === ZERO_WORD) return EVERY_ACTION
    const known = account?.actions.find((candidate) => candidate.cidHash === cidHash)
    return named(known?.cid || `the action of hash ${cidHash}`, known?.name)
  }
  const usageKey = (hash: string) => {
    const known = account?.usageApiKeys.find((candidate) => candidate.hash === hash)
    return named(`the usage key of hash ${hash}`, known?.name)
  }
  return {
    group,
    groups: (ids) =>
      ids.includes(0n) ? 'every group, later ones too' : listed(ids.map((id) => group(id))),
    wallet,
    // Shown alone: the wildcard makes the other IDs meaningless, and could be overlooked among hundreds of them.
    wallets: (ids) =>
      ids.includes(ZERO_WORD) ? EVERY_WALLET : listed(ids.map((id) => wallet(id))),
    action,
    actions: (hashes) =>
      hashes.includes(ZERO_WORD) ? EVERY_ACTION : listed(hashes.map((hash) => action(hash))),
    usageKey,
  }
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
