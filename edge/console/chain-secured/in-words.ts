/** Ids of an account's things with the names that its admin gave them: a number alone tells nobody what is changed. */
import type { AccountView } from '../../../shared/client/sovereign/contract-coding.ts'

const ZERO_WORD = `0x${'0'.repeat(64)}`
/** By these one knows it again; a longer one would push what stands behind it out of sight. */
const NAME_SHOWN_CHARACTERS = 64
const EVERY_WALLET = 'every wallet of the account, later ones too'
const EVERY_ACTION = 'every action, whoever wrote it'

export type Words = {
  group: (id: bigint) => string
  /** For arrays of usage keys, in which 0 is every group. */
  groups: (ids: readonly bigint[]) => string
  wallet: (pkpId: string) => string
  wallets: (pkpIds: readonly string[]) => string
  action: (cidHash: string) => string
  actions: (cidHashes: readonly string[]) => string
  usageKey: (hash: string) => string
}

/** @param account as the contract has it now; absent where that could not be read: then ids stand alone */
export function inWords(account: AccountView | undefined): Words {
  // In marks that a name can not end.
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
    // Alone: behind hundreds of others nobody would read it, and these mean nothing beside it.
    wallets: (ids) =>
      ids.includes(ZERO_WORD) ? EVERY_WALLET : listed(ids.map((id) => wallet(id))),
    action,
    actions: (hashes) =>
      hashes.includes(ZERO_WORD) ? EVERY_ACTION : listed(hashes.map((hash) => action(hash))),
    usageKey,
  }
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
