/** A minimal mirror of the contract, built from events, and the same state read from the contract's views. */
import { solidityPackedKeccak256 } from 'ethers'
import type { LogDescription, Result } from 'ethers'

type Group = { texts: unknown[]; pkpIds: Set<unknown>; cidHashes: Set<unknown> }
type Account = {
  fields: Record<string, unknown>
  nextGroupId: bigint
  hashes: Map<bigint, boolean>
  wallets: Map<string, unknown[]>
  groups: Map<bigint, Group>
  usageApiKeys: Map<bigint, unknown[]>
  actions: Map<bigint, unknown[]>
}
export type State = {
  accounts: Map<bigint, Account>
  payers: Set<string>
  settings: Map<string, string>
}

export const emptyState = (): State => ({
  accounts: new Map(),
  payers: new Set(),
  settings: new Map(),
})

export function replay(events: readonly LogDescription[], state = emptyState()): State {
  for (const event of events) apply(state, event)
  return state
}

function apply(state: State, { name, args }: LogDescription): void {
  const values = args.toArray(true)
  const [accountHash, id, ...rest] = values
  const account = state.accounts.get(accountHash)
  switch (name) {
    case 'ApiPayerSet':
      if (args.allowed) state.payers.add(args.payer)
      else state.payers.delete(args.payer)
      return
    case 'NodeConfigurationSet':
      state.settings.set(args.key, args.value)
      return
    case 'OwnershipTransferred':
      return
    case 'AccountCreated':
      if (!account) state.accounts.set(accountHash, created(args))
      return
    default:
      if (!account) throw new Error(`${name} of an account that was never created`)
  }
  const group = name.includes('Group') ? account.groups.get(id) : undefined
  const put = (set: Set<unknown> | undefined) =>
    rest[1] === true ? set?.add(rest[0]) : set?.delete(rest[0])
  switch (name) {
    case 'AliasSet':
      if (!account.hashes.has(id)) account.hashes.set(id, false)
      if (rest[0] !== ZERO && BigInt(solidityPackedKeccak256(['address'], rest)) !== id)
        throw new Error('an alias that was not made of the wallet which its event names')
      return
    case 'ApiKeyHashRevoked':
      account.hashes.set(id, true)
      return
    case 'AccountConverted':
      Object.assign(account.fields, { managed: false, adminWallet: id })
      return
    case 'ChainSecuredAccountOwnershipTransferred':
      account.fields['adminWallet'] = args.newAdminWalletAddress
      return
    case 'WalletRegistered':
      account.wallets.set(id, [id, ...rest])
      return
    case 'GroupSet': {
      const [text, description, pkpIds, cidHashes] = rest
      const texts = [text, description]
      account.groups.set(id, { texts, pkpIds: new Set(pkpIds), cidHashes: new Set(cidHashes) })
      if (id >= account.nextGroupId) account.nextGroupId = id + 1n
      return
    }
    case 'GroupRemoved':
      account.groups.delete(id)
      return
    case 'PkpInGroupSet':
      put(group?.pkpIds)
      return
    case 'ActionInGroupSet':
      put(group?.cidHashes)
      return
    case 'UsageApiKeySet':
      account.usageApiKeys.set(id, [id, rest[1], rest[0]])
      return
    case 'UsageApiKeyRemoved':
      account.usageApiKeys.delete(id)
      return
    case 'ActionSet':
      account.actions.set(id, [id, ...rest])
      return
    case 'ActionRemoved':
      account.actions.delete(id)
      return
    default:
      throw new Error(`an event that the mirror does not know: ${name}`)
  }
}

const ZERO = '0x0000000000000000000000000000000000000000'

function created(args: Result): Account {
  const { accountHash, managed, adminWallet, name, description, createdAt } = args
  return {
    fields: { accountHash, managed, adminWallet, name, description, createdAt },
    nextGroupId: 1n,
    hashes: new Map([[accountHash, false]]),
    wallets: new Map(),
    groups: new Map(),
    usageApiKeys: new Map(),
    actions: new Map(),
  }
}

/** Converts a result of `accountOf` to the form of the replayed state. */
export function fromView(view: Result): Account {
  const { accountHash, managed, adminWallet, name, description, createdAt } = view
  return {
    fields: { accountHash, managed, adminWallet, name, description, createdAt },
    nextGroupId: view.nextGroupId,
    hashes: new Map(view.apiKeyHashes.toArray(true)),
    wallets: byFirst(view.wallets),
    groups: new Map(view.groups.map((group: Result) => [group.groupId, groupOf(group)])),
    usageApiKeys: byFirst(view.usageApiKeys),
    actions: byFirst(view.actions),
  }
}

const byFirst = (list: Result) => new Map(list.toArray(true).map((item) => [item[0], item]))

const groupOf = ({ name, description, pkpIds, cidHashes }: Result): Group => ({
  texts: [name, description],
  pkpIds: new Set(pkpIds),
  cidHashes: new Set(cidHashes),
})
