import { z } from 'zod'
import {
  cidAsHashSchema,
  cidHashSchema,
  cidSchema,
  descriptionSchema,
  hashSchema,
  nameOrEmptySchema,
} from './fields.ts'
import { optionalField, requiredField, requestSchema, aliases } from './aliased-fields.ts'

const CID_NAMES = ['action_ipfs_cid', 'action_ipfs_id', 'action_cid', 'ipfs_id', 'cid'] as const

export const requiredCid = requiredField(aliases(cidSchema, ...CID_NAMES))

/** Hash of an action. The client sends the CID, from which the hash is computed, or the hash itself. */
export const requiredCidHash = requiredField({
  ...aliases(cidAsHashSchema, ...CID_NAMES),
  ...aliases(cidHashSchema, 'hashed_cid', 'cid_hash'),
})

export const actionName = optionalField(aliases(nameOrEmptySchema, 'name', 'action_name'))
export const actionDescription = optionalField(
  aliases(descriptionSchema, 'description', 'action_description'),
)

export const addActionRequest = requestSchema({
  cid: requiredCid,
  name: actionName,
  description: actionDescription,
})

export const deleteActionRequest = requestSchema({ cidHash: requiredCidHash })

export const updateActionMetadataRequest = requestSchema({
  cidHash: requiredCidHash,
  name: actionName,
  description: actionDescription,
}).refine((body) => body.name !== undefined || body.description !== undefined, {
  path: ['name'],
  error: 'required: this field, or description',
})

export const actionResponse = z.object({
  cid_hash: hashSchema,
  action_ipfs_cid: z.string().nullable().meta({
    description: 'Null if a group permits the hash but the CID is unknown.',
  }),
  name: z.string(),
  description: z.string(),
  groups: z.array(z.int()).meta({ description: 'Groups that permit it by its hash.' }),
})

export const actionsResponse = z.array(actionResponse)

export const addActionResponse = z.object({ success: z.literal(true), cid_hash: hashSchema })
