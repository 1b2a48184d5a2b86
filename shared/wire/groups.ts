import { z } from 'zod'
import {
  cidHashesSchema,
  description,
  hashAnswer,
  name,
  oneGroupIdSchema,
  pkpIdSchema,
  pkpIdsSchema,
} from './fields.ts'
import {
  actionAnswer,
  actionDescription,
  actionName,
  hashedCid,
  rawCid,
} from './registered-actions.ts'
import { maybe, oneOf, requestOf, spelled } from './spellings.ts'
import { usageApiKeyAnswer } from './usage-keys.ts'
import { walletAnswer } from './wallets.ts'

const GROUP_ID = spelled(oneGroupIdSchema, 'group_id', 'id')
const groupId = oneOf(GROUP_ID)
const groupName = spelled(name, 'group_name', 'name')
const groupDescription = maybe(spelled(description, 'group_description', 'description'))
const pkpIds = maybe(spelled(pkpIdsSchema, 'pkp_ids_permitted'))
const cidHashes = maybe(spelled(cidHashesSchema, 'cid_hashes_permitted'))
const pkpId = oneOf(spelled(pkpIdSchema, 'pkp_id', 'wallet_address'))

export const addGroupRequest = requestOf({
  name: oneOf(groupName),
  description: groupDescription,
  pkpIds,
  cidHashes,
})

export const updateGroupRequest = requestOf({
  groupId,
  name: maybe(groupName),
  description: groupDescription,
  pkpIds,
  cidHashes,
}).refine(
  ({ groupId: _group, ...changes }) => Object.values(changes).some((value) => value !== undefined),
  {
    path: ['group_name'],
    error: 'required: this field, or another one to change',
  },
)

export const removeGroupRequest = requestOf({ groupId })
export const pkpInGroupRequest = requestOf({ groupId, pkpId })
export const addActionToGroupRequest = requestOf({
  groupId,
  cid: rawCid,
  name: actionName,
  description: actionDescription,
})
export const removeActionFromGroupRequest = requestOf({ groupId, cidHash: hashedCid })

export const groupQuery = requestOf({ groupId })
export const maybeGroupQuery = requestOf({ groupId: maybe(GROUP_ID) })

export const addGroupAnswer = z.object({ success: z.literal(true), group_id: z.int().min(1) })

export const groupAnswer = z.object({
  id: z.int().min(1),
  group_id: z.int().min(1),
  name: z.string(),
  description: z.string(),
  pkp_ids_permitted: z
    .array(hashAnswer)
    .meta({ description: '32 zero bytes: every wallet of the account.' }),
  cid_hashes_permitted: z.array(hashAnswer).meta({ description: '32 zero bytes: every action.' }),
})

export const groupsAnswer = z.array(groupAnswer)

export const wholeGroupAnswer = groupAnswer.extend({
  wallets: z.array(walletAnswer),
  actions: z.array(actionAnswer),
  keys: z.array(usageApiKeyAnswer).meta({
    description: 'Usage keys that list the group. A usage key sees only itself.',
  }),
})
