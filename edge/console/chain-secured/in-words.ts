/** Ids of an account's things with the names that its admin gave them: a number alone tells nobody what is changed. */
import type { AccountView } from '../../../shared/client/sovereign/contract-coding.ts'

const ZERO_WORD = `0x${'0'.repeat(64)}`

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
  const named = (what: string, name: string | undefined) => (name ? `${what} “${name}”` : what)
  const group = (id: bigint) =>
    named(`group ${id}`, account?.groups.find((known) => BigInt(known.id) === id)?.name)
  const wallet = (pkpId: string) => {
    if (pkpId === ZERO_WORD) return 'every wallet of the account, later ones too'
    const known = account?.wallets.find((candidate) => candidate.pkpId === pkpId)
    return named(known?.address ?? `0x${pkpId.slice(-40)}`, known?.name)
  }
  const action = (cidHash: string) => {
    if (cidHash === ZERO_WORD) return 'every action, whoever wrote it'
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
    wallets: (ids) => listed(ids.map((id) => wallet(id))),
    action,
    actions: (hashes) => listed(hashes.map((hash) => action(hash))),
    usageKey,
  }
}

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
