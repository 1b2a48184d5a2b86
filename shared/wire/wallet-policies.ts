/** Schemas of the operations on wallet policies (docs/policies.md). Amounts are decimal texts in the smallest unit. */
import { z } from 'zod'
import { DENIAL_CODES, type DenialCode } from '../policies/denial.ts'
import { addressSchema, cidSchema, hashSchema, hexSchema, pkpIdSchema } from './fields.ts'
import { jsonObjectSchema } from './json-object.ts'
import { walletProofFields } from './wallet-proofs.ts'

/** Validated later by `parsePolicy`, because a schema cannot express all rules. */
export const policyDocumentSchema = jsonObjectSchema.meta({
  type: 'object',
  description: 'The policy document (docs/policies.md).',
})

const amountSchema = z.string().regex(/^(?:0|[1-9][0-9]*)$/)
const timeSchema = z.iso.datetime()

/** The policy that the contract records for a wallet. */
const heldPolicyFields = {
  wallet_address: addressSchema,
  pkp_id: hashSchema,
  policy_hash: hashSchema.meta({ description: 'Hash of the policy that holds now.' }),
}

export const setWalletPolicyRequest = z.object({
  pkp_id: pkpIdSchema,
  policy: policyDocumentSchema,
  replaces: hexSchema(32)
    .transform((hash) => hash.toLowerCase())
    .optional()
    .meta({
      description:
        'Hash of the policy that holds. If another one holds, the request is rejected, so that no concurrent change is lost.',
    }),
})

export const setWalletPolicyResponse = z.object({
  ...heldPolicyFields,
  pending: z
    .object({ policy_hash: hashSchema, effective_at: timeSchema })
    .nullable()
    .meta({ description: 'The policy that replaces it later. Null if the change took effect.' }),
})

/** Request to store a policy, which the admin wallet then sets with its own transaction. */
export const setWalletPolicyWithSignatureRequest = setWalletPolicyRequest.extend(
  walletProofFields('SetWalletPolicy'),
)

/** Arguments of the contract functions `registerPolicyWallet` and `setWalletPolicy`. */
export const policyTermsFields = {
  policy_hash: hashSchema,
  change_delay_s: z.int().min(0),
  is_immutable: z.boolean(),
  attestation: z
    .string()
    .regex(/^0x[0-9a-f]{130}$/)
    .meta({
      description: 'Statement of the service about the policy, which the contract verifies.',
    }),
}

export const setWalletPolicyWithSignatureResponse = z.object({
  pkp_id: hashSchema,
  replaces: hashSchema.meta({ description: 'Hash of the policy that holds now.' }),
  ...policyTermsFields,
  at_once: z.boolean().meta({
    description: 'True if the change only tightens the policy, so it takes effect without a delay.',
  }),
})

export const getWalletPolicyQuery = z.object({ pkp_id: pkpIdSchema })

const sumSchema = z.object({
  sum: z.string().meta({ description: 'Name of the sum in the policy.' }),
  key: z.string().meta({
    description: 'Name of the sum, with the chain, token and recipient that it counts.',
  }),
  remaining: amountSchema,
  max: amountSchema,
  window_s: z.int(),
})

export const getWalletPolicyResponse = z.object({
  ...heldPolicyFields,
  policy: policyDocumentSchema,
  set_at: timeSchema,
  pending: z
    .object({ policy_hash: hashSchema, policy: policyDocumentSchema, effective_at: timeSchema })
    .nullable(),
  sums: z.array(sumSchema).meta({ description: 'Sums that are not empty.' }),
})

export const simulateSignatureRequest = z.object({
  pkp_id: pkpIdSchema,
  request: jsonObjectSchema.meta({
    type: 'object',
    description: 'The request for a signature: docs/policies.md#requests.',
  }),
  action_ipfs_cid: cidSchema
    .optional()
    .meta({ description: 'Action that requests the signature.' }),
  policy: policyDocumentSchema
    .optional()
    .meta({ description: 'Decides by this policy instead of the one that holds.' }),
})

const denialCodes = Object.keys(DENIAL_CODES) as [DenialCode, ...DenialCode[]]

export const simulateSignatureResponse = z.object({
  decision: z.enum(['allow', 'deny']),
  code: z.enum(denialCodes).optional().meta({ description: 'Reason of a denial.' }),
  rule: z.string().optional().meta({
    description: 'Rule that decided, or that came closest to allowing the request.',
  }),
  policy_hash: hashSchema,
  explanation: z.array(z.string()).meta({ description: 'The request and the decision in words.' }),
  sums: z
    .array(
      sumSchema.extend({
        added: amountSchema,
        available_at: timeSchema.optional().meta({
          description: 'Time from which on the sum has room, if it has none now.',
        }),
      }),
    )
    .meta({ description: 'What the signature adds to sums, and what would remain.' }),
})
