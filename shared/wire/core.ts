/** Schemas of the core API. Unknown fields of a request are ignored. */
import { z } from 'zod'
import { ACCOUNT_DESCRIPTION_MAX_CHARACTERS, EMAIL_MAX_CHARACTERS } from '../limits.ts'
import { paramsSchema, sourceSchema } from './action-call.ts'
import { addressSchema, hashSchema, nameSchema } from './fields.ts'
import { textSchema } from './text.ts'

/** An email address. The check is deliberately loose, because RFC 5321 allows more addresses than most patterns do. */
const email = textSchema
  .max(EMAIL_MAX_CHARACTERS)
  .regex(/^[^\s@]+@[^\s@]+$/, 'expected an email address, such as ada@example.com')
  .meta({ description: 'Stored encrypted, never on chain; get_account returns it to the owner.' })

export const newAccountRequest = z.object({
  account_name: nameSchema,
  account_description: textSchema.max(ACCOUNT_DESCRIPTION_MAX_CHARACTERS),
  email: email.optional(),
})

export const svcActionRequest = z.object({
  code: sourceSchema,
  js_params: paramsSchema.default({}),
})

export const accountExistsResponse = z.boolean()

export const newAccountResponse = z.object({
  api_key: z.string().meta({ description: 'The account key, in base64. Shown only once.' }),
  wallet_address: addressSchema,
})

export const accountResponse = z.object({
  account_name: z.string(),
  account_description: z.string(),
  email: z.string().nullable().meta({
    description: 'As given at creation. Null if none was given, and after a transfer of ownership.',
  }),
  wallet_address: addressSchema.meta({ description: 'The admin wallet in ChainSecured mode.' }),
  api_key_hash: hashSchema.meta({ description: 'Identifies the account on chain.' }),
  managed: z.boolean().meta({ description: 'true in API mode, false in ChainSecured mode.' }),
})

export const receiptText = z.string().meta({
  description: 'The signed receipt of the execution: a JWS in compact form (docs/receipts.md).',
})

export const svcActionResponse = z.object({
  response: z.unknown().meta({ description: 'What main returned; null for undefined.' }),
  logs: z.string(),
  has_error: z.literal(false),
  action_cid: z.string(),
  duration_ms: z.number().min(0),
  charged_cents: z.int().min(1),
  receipt: receiptText,
})

export const cidResponse = z
  .string()
  .meta({ examples: ['QmRf22bZar3WKmojipms22PkXH1MZGmvsqzQtuSvQE3uhm'] })

export const nodeChainConfigResponse = z.object({
  chain_name: z.string(),
  chain_id: z.int(),
  contract_address: addressSchema,
  is_evm: z.literal(true),
  testnet: z.boolean(),
  token: z.string(),
})
