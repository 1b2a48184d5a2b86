import { z } from 'zod'
import { addressSchema, hashSchema, pkpIdSchema } from './fields.ts'

export const walletStatementQuery = z.object({ pkp_id: pkpIdSchema })

export const walletStatementResponse = z.object({
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  derivation: z.enum(['policy', 'exportable']).meta({
    description:
      '`policy`: no operation returns the key. `exportable`: actions with the permission can get it.',
  }),
  lock: hashSchema.nullable().meta({
    description:
      'Hash of the immutable policy with which the wallet was created, or null: the key does not exist under another policy.',
  }),
  statement: z.string().meta({
    description:
      'The same fields with the account, the application and the contract, signed with the receipt key: a JWS in compact form (docs/policies.md#proof).',
  }),
})
