/** Describes each contract write in plain language. A function without an entry here is never sent. */
import type { Explanation, Facts } from './explanation.ts'
import type { Words } from './in-words.ts'

/** Arguments without the account hash, which has already been checked. */
type Args = readonly any[]
type Call = (
  args: Args,
  words: Words,
) => Pick<Explanation, 'title' | 'says' | 'facts' | 'undo'> & {
  forEver?: true
}

const AGAIN = 'It can be undone by another transaction.'
const text = (value: string) => (value === '' ? 'none' : value)
const yesNo = (value: boolean) => (value ? 'yes' : 'no')

/** Returns only the fields of an update whose bits are set. */
const changed = (fields: bigint, members: Facts): Facts =>
  members.filter((_, bit) => (fields >> BigInt(bit)) & 1n)

const groupMembers = ({ name, description, pkpIds, cidHashes }: any, words: Words): Facts => [
  ['Name', text(name)],
  ['Description', text(description)],
  ['Wallets', words.wallets([...pkpIds])],
  ['Actions', words.actions([...cidHashes].map(word))],
]

const keyMembers = (key: any, words: Words): Facts => [
  ['Name', text(key.name)],
  ['Description', text(key.description)],
  ['May make groups', yesNo(key.canCreateGroups)],
  ['May remove groups', yesNo(key.canDeleteGroups)],
  ['May make wallets', yesNo(key.canCreatePkps)],
  ['May permit actions in', words.groups([...key.manageIpfsIdsInGroups])],
  ['May add wallets to', words.groups([...key.addPkpToGroups])],
  ['May take wallets out of', words.groups([...key.removePkpFromGroups])],
  ['May run the actions of', words.groups([...key.executeInGroups])],
]

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

export const CONTRACT_CALLS: Readonly<Record<string, Call>> = {
  newChainSecuredAccount: ([name, description]) => ({
    title: 'Open an account',
    says: 'Opens a ChainSecured account, whose admin is this wallet. Nobody else can change it, the service included.',
    facts: [
      ['Name', text(name)],
      ['Description', text(description)],
    ],
    undo: 'It can not be undone: a wallet that was an admin once can never be one of another account.',
    forEver: true,
  }),
  transferChainSecuredAccountOwnership: ([newAdmin]) => ({
    title: 'Hand the account on',
    says: 'Makes another wallet the admin of this account. This wallet can change nothing any more, and can never be an admin again, of this account or another.',
    facts: [['New admin', newAdmin]],
    undo: 'There is no way back. The new admin does not have to accept: a wrong address loses the account.',
    forEver: true,
  }),
  registerWalletDerivation: ([pkpId, path, name, description], words) => ({
    title: 'Create a wallet',
    says: 'Registers a wallet that the service has derived for this account. Actions use it where a group permits both.',
    facts: [
      ['Wallet', words.wallet(pkpId)],
      ['Derivation path', path],
      ['Name', text(name)],
      ['Description', text(description)],
    ],
    undo: 'A wallet stays in the account. It can be taken out of every group.',
  }),
  addGroup: ([name, description, pkpIds, cidHashes], words) => ({
    title: 'Create a group',
    says: 'Makes a group: its actions may use the keys of its wallets.',
    facts: groupMembers({ name, description, pkpIds, cidHashes }, words),
    undo: 'The group can be removed by another transaction.',
  }),
  updateGroup: ([id, fields, input], words) => ({
    title: 'Change a group',
    says: `Changes ${words.group(id)}. What is not named here stays as it is.`,
    facts: changed(fields, groupMembers(input, words)),
    undo: AGAIN,
  }),
  removeGroup: ([id], words) => ({
    title: 'Remove a group',
    says: `Removes ${words.group(id)}: what it permitted is permitted no more.`,
    facts: [['Group', words.group(id)]],
    undo: 'It does not come back. Another with the same contents can be made, under another number.',
  }),
  addPkpToGroup: ([id, pkpId], words) => ({
    title: 'Permit a wallet in a group',
    says: 'The actions of the group may use the key of this wallet.',
    facts: [
      ['Group', words.group(id)],
      ['Wallet', words.wallet(pkpId)],
    ],
    undo: 'It can be taken out by another transaction; an action that has read its key has read it.',
  }),
  removePkpFromGroup: ([id, pkpId], words) => ({
    title: 'Take a wallet out of a group',
    says: 'The actions of the group may not use the key of this wallet any more.',
    facts: [
      ['Group', words.group(id)],
      ['Wallet', words.wallet(pkpId)],
    ],
    undo: AGAIN,
  }),
  addActionToGroup: ([id, cid, name, description], words) => ({
    title: 'Permit an action in a group',
    says: 'The action may use the keys of the wallets of the group, and usage keys of the group may run it.',
    facts: [
      ['Group', words.group(id)],
      ['Action', cid],
      ['Name', text(name)],
      ['Description', text(description)],
    ],
    undo: 'It can be taken out by another transaction; what it did with keys until then is done.',
  }),
  removeActionFromGroup: ([id, cidHash], words) => ({
    title: 'Take an action out of a group',
    says: 'The group permits the action no longer.',
    facts: [
      ['Group', words.group(id)],
      ['Action', words.action(word(cidHash))],
    ],
    undo: AGAIN,
  }),
  addAction: ([cid, name, description]) => ({
    title: 'Record an action',
    says: 'Records an action with its name. The record permits nothing: groups do.',
    facts: [
      ['Action', cid],
      ['Name', text(name)],
      ['Description', text(description)],
    ],
    undo: AGAIN,
  }),
  updateActionMetadata: ([cidHash, fields, name, description], words) => ({
    title: 'Change the record of an action',
    says: `Changes the record of ${words.action(word(cidHash))}. It permits nothing, and takes nothing away.`,
    facts: changed(fields, [
      ['Name', text(name)],
      ['Description', text(description)],
    ]),
    undo: AGAIN,
  }),
  deleteAction: ([cidHash], words) => ({
    title: 'Delete an action',
    says: 'Deletes the record of the action, and takes it out of every group that names it.',
    facts: [['Action', words.action(word(cidHash))]],
    undo: 'It can be permitted again in each group, one by one.',
  }),
  setUsageApiKey: ([hash, key], words) => ({
    title: 'Register a usage key',
    says: 'Makes a usage key good for what stands here. Who has its text can do that, and spends the credits of this account.',
    facts: [['Hash of the key', word(hash)], ...keyMembers(key, words)],
    undo: 'The key can be removed by another transaction, for ever.',
  }),
  updateUsageApiKey: ([hash, fields, key], words) => ({
    title: 'Change a usage key',
    says: `Changes what ${words.usageKey(word(hash))} may do. What is not named here stays as it is.`,
    facts: changed(fields, keyMembers(key, words)),
    undo: AGAIN,
  }),
  removeUsageApiKey: ([hash], words) => ({
    title: 'Remove a usage key',
    says: 'The key does nothing any more, for whoever has it. Triggers that run by it fail.',
    facts: [['Usage key', words.usageKey(word(hash))]],
    undo: 'It does not come back: a removed key can never be registered again.',
    forEver: true,
  }),
}
