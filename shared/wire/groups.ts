import { z } from 'zod'
import {
  cidHashesSchema,
  descriptionSchema,
  hashSchema,
  nameSchema,
  oneGroupIdSchema,
  pkpIdSchema,
  pkpIdsSchema,
} from './fields.ts'
import {
  actionResponse,
  actionDescription,
  actionName,
  requiredCidHash,
  requiredCid,
} from './registered-actions.ts'
import { optionalField, requiredField, requestSchema, aliases } from './aliased-fields.ts'
import { usageApiKeyResponse } from './usage-keys.ts'
import { walletResponse } from './wallets.ts'

const GROUP_ID = aliases(oneGroupIdSchema, 'group_id', 'id')
const groupId = requiredField(GROUP_ID)
const groupName = aliases(nameSchema, 'group_name', 'name')
const groupDescription = optionalField(
  aliases(descriptionSchema, 'group_description', 'description'),
)
const pkpIds = optionalField(aliases(pkpIdsSchema, 'pkp_ids_permitted'))
const cidHashes = optionalField(aliases(cidHashesSchema, 'cid_hashes_permitted'))
const pkpId = requiredField(aliases(pkpIdSchema, 'pkp_id', 'wallet_address'))

export const addGroupRequest = requestSchema({
  name: requiredField(groupName),
  description: groupDescription,
  pkpIds,
  cidHashes,
})

export const updateGroupRequest = requestSchema({
  groupId,
  name: optionalField(groupName),
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

export const removeGroupRequest = requestSchema({ groupId })
export const pkpInGroupRequest = requestSchema({ groupId, pkpId })
export const addActionToGroupRequest = requestSchema({
  groupId,
  cid: requiredCid,
  name: actionName,
  description: actionDescription,
})
export const removeActionFromGroupRequest = requestSchema({ groupId, cidHash: requiredCidHash })

export const groupQuery = requestSchema({ groupId })
export const optionalGroupQuery = requestSchema({ groupId: optionalField(GROUP_ID) })

export const addGroupResponse = z.object({ success: z.literal(true), group_id: z.int().min(1) })

export const groupResponse = z.object({
  id: z.int().min(1),
  group_id: z.int().min(1),
  name: z.string(),
  description: z.string(),
  pkp_ids_permitted: z
    .array(hashSchema)
    .meta({ description: '32 zero bytes: every wallet of the account.' }),
  cid_hashes_permitted: z.array(hashSchema).meta({ description: '32 zero bytes: every action.' }),
})

export const groupsResponse = z.array(groupResponse)

export const wholeGroupResponse = groupResponse.extend({
  wallets: z.array(walletResponse),
  actions: z.array(actionResponse),
  keys: z.array(usageApiKeyResponse).meta({
    description: 'Usage keys that list the group. A usage key sees only itself.',
  }),
})
