import { type Command, InvalidArgumentError } from 'commander'
import type { UsageKeyFields } from '../../client/core/account.ts'
import { withoutUndefined } from '../../json/without-undefined.ts'
import { groupIds } from './option-values.ts'

export type GivenRights = {
  executeIn?: number[]
  manageActionsIn?: number[]
  addWalletsTo?: number[]
  removeWalletsFrom?: number[]
  createGroups?: boolean
  deleteGroups?: boolean
  createWallets?: boolean
  capCents?: number
  capWindow?: number
}

export function withRights(command: Command): Command {
  return command
    .option(
      '--execute-in <ids>',
      'allow running the actions of these groups; 0 for all groups',
      groupIds,
    )
    .option('--manage-actions-in <ids>', 'allow changing the actions of these groups', groupIds)
    .option('--add-wallets-to <ids>', 'allow adding wallets to these groups', groupIds)
    .option('--remove-wallets-from <ids>', 'allow removing wallets from these groups', groupIds)
    .option('--create-groups', 'allow creating groups')
    .option('--delete-groups', 'allow deleting groups')
    .option('--create-wallets', 'allow creating wallets')
    .option('--cap-cents <cents>', 'spending cap per window', parseWholeNumber)
    .option('--cap-window <seconds>', 'length of the window', parseWholeNumber)
}

export function rightsIn(given: GivenRights): Omit<UsageKeyFields, 'name'> {
  return withoutUndefined({
    execute_in_groups: given.executeIn,
    manage_ipfs_ids_in_groups: given.manageActionsIn,
    add_pkp_to_groups: given.addWalletsTo,
    remove_pkp_from_groups: given.removeWalletsFrom,
    can_create_groups: given.createGroups,
    can_delete_groups: given.deleteGroups,
    can_create_pkps: given.createWallets,
    spend_cap_cents: given.capCents,
    spend_window_seconds: given.capWindow,
  })
}

function parseWholeNumber(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number.')
}
