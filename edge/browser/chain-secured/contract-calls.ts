/** Explanations of the contract's functions. Calls of functions without an explanation are never sent. */
import { durationWords } from '../../../shared/policies/describe-policy.ts'
import type { Explanation, ExplanationFacts } from './explanation.ts'
import type { NameLookup } from './name-lookup.ts'

/** Arguments of a call without the account hash, which has already been checked. */
type Args = readonly any[]
type CallExplainer = (
  args: Args,
  words: NameLookup,
) => Pick<Explanation, 'title' | 'summary' | 'facts' | 'undo'> & {
  isIrreversible?: true
}

const UNDO_POSSIBLE = 'This can be undone by another transaction.'
const yesNo = (value: boolean) => (value ? 'yes' : 'no')
const nameFacts = (name: string, description: string) =>
  [
    ['Name', name || 'none'],
    ['Description', description || 'none'],
  ] as const

const changedMembers = (fields: bigint, members: ExplanationFacts): ExplanationFacts =>
  members.filter((_, bit) => (fields >> BigInt(bit)) & 1n)

const groupMembers = (
  { name, description, pkpIds, cidHashes }: any,
  words: NameLookup,
): ExplanationFacts => [
  ...nameFacts(name, description),
  ['Wallets', words.wallets([...pkpIds])],
  ['Actions', words.actions([...cidHashes].map(toHexWord))],
]

const keyMembers = (key: any, words: NameLookup): ExplanationFacts => [
  ...nameFacts(key.name, key.description),
  ['Can create groups', yesNo(key.canCreateGroups)],
  ['Can remove groups', yesNo(key.canDeleteGroups)],
  ['Can create wallets', yesNo(key.canCreatePkps)],
  ['Can permit actions in', words.groups([...key.manageIpfsIdsInGroups])],
  ['Can add wallets to', words.groups([...key.addPkpToGroups])],
  ['Can remove wallets from', words.groups([...key.removePkpFromGroups])],
  ['Can run the actions of', words.groups([...key.executeInGroups])],
]

/** Terms of a policy in a contract call, which contains only the hash of the document. */
const policyFacts = ({ policyHash, changeDelay, isImmutable }: any): ExplanationFacts => [
  ['Policy hash', policyHash],
  [
    'Later changes',
    isImmutable
      ? 'none: the policy can never be changed'
      : changeDelay === 0n
        ? 'take effect at once'
        : `take effect at once if they only tighten the policy, and otherwise after ${durationWords(Number(changeDelay))}`,
  ],
]

const toHexWord = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`

export const CONTRACT_CALLS: Readonly<Record<string, CallExplainer>> = {
  newChainSecuredAccount: ([name, description]) => ({
    title: 'Open an account',
    summary:
      'Opens a ChainSecured account with this wallet as its admin. Nobody else can change the account, not even the service.',
    facts: nameFacts(name, description),
    undo: 'This cannot be undone: a wallet that has been an admin can never become the admin of another account.',
    isIrreversible: true,
  }),
  transferChainSecuredAccountOwnership: ([newAdmin]) => ({
    title: 'Transfer the account',
    summary:
      'Makes another wallet the admin of this account. This wallet can no longer change the account, and can never be an admin again, of this or any other account.',
    facts: [['New admin', newAdmin]],
    undo: 'This cannot be undone. The new admin does not have to accept: if the address is wrong, the account is lost.',
    isIrreversible: true,
  }),
  registerWalletDerivation: ([pkpId, path, name, description], words) => ({
    title: 'Create a wallet',
    summary:
      'Registers a wallet that the service derived for this account. Actions can use it if a group permits both.',
    facts: [
      ['Wallet', words.wallet(pkpId)],
      ['Derivation path', path],
      ...nameFacts(name, description),
    ],
    undo: 'A wallet cannot be removed from the account, but it can be removed from every group.',
  }),
  registerPolicyWallet: ([pkpId, path, name, description, terms], words) => ({
    title: 'Create a wallet with a policy',
    summary:
      'Registers a wallet that the service derived for this account. It signs only what its policy allows, and no action can read its private key. Actions can use it if a group permits both.',
    facts: [
      ['Wallet', words.wallet(pkpId)],
      ...policyFacts(terms),
      ['Derivation path', path],
      ...nameFacts(name, description),
    ],
    undo: terms.isImmutable
      ? 'This cannot be undone: the policy of this wallet can never be changed. The wallet can be removed from every group.'
      : 'A wallet cannot be removed from the account, but it can be removed from every group. Its policy can be changed.',
    ...(terms.isImmutable && { isIrreversible: true as const }),
  }),
  setWalletPolicy: ([pkpId, replaces, terms, atOnce], words) => {
    const isCancellation = terms.policyHash === replaces
    return {
      title: 'Change the policy of a wallet',
      summary: isCancellation
        ? 'Keeps the policy that holds, and cancels a pending change.'
        : atOnce
          ? 'Replaces the policy of the wallet at once. The service has stated that the new policy only tightens the current one.'
          : 'Replaces the policy of the wallet after the delay that the current policy sets, or at once if it sets none. The new policy may allow more than the current one.',
      facts: [
        ['Wallet', words.wallet(pkpId)],
        ...(isCancellation ? [] : ([['Current policy hash', replaces]] as const)),
        ...policyFacts(terms),
      ],
      undo:
        terms.isImmutable && !isCancellation
          ? 'Once the new policy holds, it can never be changed again.'
          : 'The policy can be changed by another transaction. What was signed in between stays valid.',
      ...(terms.isImmutable && !isCancellation && { isIrreversible: true as const }),
    }
  },
  addGroup: ([name, description, pkpIds, cidHashes], words) => ({
    title: 'Create a group',
    summary: 'Creates a group, whose actions can use the keys of its wallets.',
    facts: groupMembers({ name, description, pkpIds, cidHashes }, words),
    undo: 'The group can be removed by another transaction.',
  }),
  updateGroup: ([id, fields, input], words) => ({
    title: 'Change a group',
    summary: `Changes ${words.group(id)}. Everything not listed here stays the same.`,
    facts: changedMembers(fields, groupMembers(input, words)),
    undo: UNDO_POSSIBLE,
  }),
  removeGroup: ([id], words) => ({
    title: 'Remove a group',
    summary: `Removes ${words.group(id)} and all of its permissions.`,
    facts: [['Group', words.group(id)]],
    undo: 'This cannot be undone. You can create a new group with the same contents, which gets another number.',
  }),
  addPkpToGroup: ([id, pkpId], words) => ({
    title: 'Permit a wallet in a group',
    summary: 'Allows the actions of the group to use the key of this wallet.',
    facts: [
      ['Group', words.group(id)],
      ['Wallet', words.wallet(pkpId)],
    ],
    undo: 'The wallet can be removed by another transaction, but an action that has read its key still knows it.',
  }),
  removePkpFromGroup: ([id, pkpId], words) => ({
    title: 'Remove a wallet from a group',
    summary: 'The actions of the group can no longer use the key of this wallet.',
    facts: [
      ['Group', words.group(id)],
      ['Wallet', words.wallet(pkpId)],
    ],
    undo: UNDO_POSSIBLE,
  }),
  addActionToGroup: ([id, cid, name, description], words) => ({
    title: 'Permit an action in a group',
    summary:
      'Allows the action to use the keys of the group’s wallets, and the group’s usage keys to run it.',
    facts: [['Group', words.group(id)], ['Action', cid], ...nameFacts(name, description)],
    undo: 'The action can be removed by another transaction, but what it already did with the keys cannot be undone.',
  }),
  removeActionFromGroup: ([id, cidHash], words) => ({
    title: 'Remove an action from a group',
    summary: 'The group no longer permits the action.',
    facts: [
      ['Group', words.group(id)],
      ['Action', words.action(toHexWord(cidHash))],
    ],
    undo: UNDO_POSSIBLE,
  }),
  addAction: ([cid, name, description]) => ({
    title: 'Register an action',
    summary: 'Registers an action under a name. This does not permit anything; only groups do.',
    facts: [['Action', cid], ...nameFacts(name, description)],
    undo: UNDO_POSSIBLE,
  }),
  updateActionMetadata: ([cidHash, fields, name, description], words) => ({
    title: 'Change a registered action',
    summary: `Changes the registration of ${words.action(toHexWord(cidHash))}. Permissions do not change.`,
    facts: changedMembers(fields, nameFacts(name, description)),
    undo: UNDO_POSSIBLE,
  }),
  deleteAction: ([cidHash], words) => ({
    title: 'Delete an action',
    summary:
      'Deletes the registration of the action, and removes the action from every group that lists it.',
    facts: [['Action', words.action(toHexWord(cidHash))]],
    undo: 'The action can be permitted again in each group individually.',
  }),
  setUsageApiKey: ([hash, key], words) => ({
    title: 'Register a usage key',
    summary:
      'Grants a usage key the permissions listed here. Anyone with the key can use them and spend the credits of this account.',
    facts: [['Hash of the key', toHexWord(hash)], ...keyMembers(key, words)],
    undo: 'The key can be removed permanently by another transaction.',
  }),
  updateUsageApiKey: ([hash, fields, key], words) => ({
    title: 'Change a usage key',
    summary: `Changes the permissions of ${words.usageKey(toHexWord(hash))}. Everything not listed here stays the same.`,
    facts: changedMembers(fields, keyMembers(key, words)),
    undo: UNDO_POSSIBLE,
  }),
  removeUsageApiKey: ([hash], words) => ({
    title: 'Remove a usage key',
    summary: 'The key stops working for everyone who has it. Triggers that use it will fail.',
    facts: [['Usage key', words.usageKey(toHexWord(hash))]],
    undo: 'This cannot be undone: a removed key can never be registered again.',
    isIrreversible: true,
  }),
}
