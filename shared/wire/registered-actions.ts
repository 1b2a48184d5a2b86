/** Request and response bodies of the core API's operations on registered actions. */
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

/** The hash of a CID, computed from the raw CID or sent as a hash. */
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
  error: 'required: this or description, else there is nothing to change',
})

export const actionAnswer = z.object({
  cid_hash: hashAnswer,
  action_ipfs_cid: z.string().nullable().meta({
    description: 'null where a group permits the hash and nobody has said of which CID it is.',
  }),
  name: z.string(),
  description: z.string(),
  groups: z.array(z.int()).meta({ description: 'Groups that permit it by its hash.' }),
})

export const actionsAnswer = z.array(actionAnswer)

export const addActionAnswer = z.object({ success: z.literal(true), cid_hash: hashAnswer })
