import type { AccountOperations } from '../core/account.ts'
import type { AccountContract } from './account-contract.ts'
import { cidHash } from '../../cid/cid-format.ts'
import {
  cidHashOf,
  cidOf,
  groupIdOf,
  listOf,
  maskedUpdate,
  namedCidHash,
  pkpIdOf,
  requireWellFormed,
} from './arguments.ts'

const pkpIds = (ids: readonly string[]) => listOf('pkp_ids_permitted', ids, pkpIdOf)
const cidHashes = (hashes: readonly (string | 0)[]) =>
  listOf('cid_hashes_permitted', hashes, cidHashOf)

export function groupWrites(contract: AccountContract) {
  const write = async (...args: Parameters<AccountContract['write']>) => {
    await contract.write(...args)
    return { success: true } as const
  }
  return {
    addGroup: async (fields, options) => {
      const { group_name, group_description = '', pkp_ids_permitted = [] } = fields
      const args = [
        requireWellFormed('group_name', group_name),
        requireWellFormed('group_description', group_description),
        pkpIds(pkp_ids_permitted),
        cidHashes(fields.cid_hashes_permitted ?? []),
      ]
      const mined = await contract.write(`add group ${group_name}`, 'addGroup', args, options)
      return { success: true, group_id: await contract.createdGroupId(mined) }
    },
    updateGroup: async ({ group_id, ...changes }, options) => {
      const id = groupIdOf(group_id)
      const { fields, values } = maskedUpdate([
        [optionalText(changes.group_name, 'group_name'), ''],
        [optionalText(changes.group_description, 'group_description'), ''],
        [changes.pkp_ids_permitted && pkpIds(changes.pkp_ids_permitted), []],
        [changes.cid_hashes_permitted && cidHashes(changes.cid_hashes_permitted), []],
      ])
      return write(`update group ${id}`, 'updateGroup', [id, fields, values], options)
    },
    removeGroup: async ({ group_id }, options) => {
      const id = groupIdOf(group_id)
      return write(`remove group ${id}`, 'removeGroup', [id], options)
    },
    addPkpToGroup: async ({ group_id, pkp_id }, options) => {
      const args = [groupIdOf(group_id), pkpIdOf('pkp_id', pkp_id)]
      return write(`add a wallet to group ${group_id}`, 'addPkpToGroup', args, options)
    },
    removePkpFromGroup: async ({ group_id, pkp_id }, options) => {
      const args = [groupIdOf(group_id), pkpIdOf('pkp_id', pkp_id)]
      return write(`remove a wallet from group ${group_id}`, 'removePkpFromGroup', args, options)
    },
    addActionToGroup: async ({ group_id, action_ipfs_cid, ...texts }, options) => {
      const args = [groupIdOf(group_id), cidOf(action_ipfs_cid), ...nameAndDescription(texts)]
      return write(`permit an action in group ${group_id}`, 'addActionToGroup', args, options)
    },
    removeActionFromGroup: async ({ group_id, ...action }, options) => {
      const args = [groupIdOf(group_id), namedCidHash(action)]
      const what = `remove an action from group ${group_id}`
      return write(what, 'removeActionFromGroup', args, options)
    },
    addAction: async ({ action_ipfs_cid, ...texts }, options) => {
      const cid = cidOf(action_ipfs_cid)
      await write(
        `register the action ${cid}`,
        'addAction',
        [cid, ...nameAndDescription(texts)],
        options,
      )
      return { success: true, cid_hash: cidHash(cid) }
    },
    updateActionMetadata: async (changed, options) => {
      const { fields, values } = maskedUpdate([
        [optionalText(changed.name, 'name'), ''],
        [optionalText(changed.description, 'description'), ''],
      ])
      const args = [namedCidHash(changed), fields, ...values]
      return write('change the metadata of an action', 'updateActionMetadata', args, options)
    },
    deleteAction: async (action, options) =>
      write('delete an action', 'deleteAction', [namedCidHash(action)], options),
  } satisfies Partial<AccountOperations>
}

const optionalText = (value: string | undefined, field: string) =>
  value === undefined ? undefined : requireWellFormed(field, value)

export function nameAndDescription({
  name = '',
  description = '',
}: {
  name?: string
  description?: string
}) {
  return [requireWellFormed('name', name), requireWellFormed('description', description)]
}
