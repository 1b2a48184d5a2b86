import { z } from 'zod'
import {
  cidAsHashSchema,
  cidHashSchema,
  cidSchema,
  description,
  hashAnswer,
  nameOrEmpty,
} from './fields.ts'
import { maybe, oneOf, requestOf, spelled } from './spellings.ts'

const CID_NAMES = ['action_ipfs_cid', 'action_ipfs_id', 'action_cid', 'ipfs_id', 'cid'] as const

export const rawCid = oneOf(spelled(cidSchema, ...CID_NAMES))

/** The client sends the CID, from which the hash is computed, or the hash itself. */
export const hashedCid = oneOf({
  ...spelled(cidAsHashSchema, ...CID_NAMES),
  ...spelled(cidHashSchema, 'hashed_cid', 'cid_hash'),
})

export const actionName = maybe(spelled(nameOrEmpty, 'name', 'action_name'))
export const actionDescription = maybe(spelled(description, 'description', 'action_description'))

export const addActionRequest = requestOf({
  cid: rawCid,
  name: actionName,
  description: actionDescription,
})

export const deleteActionRequest = requestOf({ cidHash: hashedCid })

export const updateActionMetadataRequest = requestOf({
  cidHash: hashedCid,
  name: actionName,
  description: actionDescription,
}).refine((body) => body.name !== undefined || body.description !== undefined, {
  path: ['name'],
  error: 'required: this field, or description',
})

export const actionAnswer = z.object({
  cid_hash: hashAnswer,
  action_ipfs_cid: z.string().nullable().meta({
    description: 'Null if a group permits the hash but the CID is unknown.',
  }),
  name: z.string(),
  description: z.string(),
  groups: z.array(z.int()).meta({ description: 'Groups that permit it by its hash.' }),
})

export const actionsAnswer = z.array(actionAnswer)

export const addActionAnswer = z.object({ success: z.literal(true), cid_hash: hashAnswer })
