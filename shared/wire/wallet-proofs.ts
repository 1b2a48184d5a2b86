/**
 * Schemas of typed data that a wallet signs (docs/decisions/0034). The data must have one exact form: missing, extra or
 * reordered fields are rejected.
 */
import { z } from 'zod'
import { WALLET_SIGNATURE_MAX_BYTES } from '../limits.ts'
import {
  DOMAIN_MEMBERS,
  DOMAIN_NAME,
  DOMAIN_VERSION,
  PROOF_MEMBERS,
  type ProofTerms,
  type Purpose,
  termNames,
} from '../crypto/typed-data.ts'
import { jsonSchemaOf } from '../openapi/json-schema.ts'
import { addressSchema, hashSchema, hexSchema } from './fields.ts'

const UINT = 'expected an unsigned integer: a number, or a decimal or 0x hex string'

const uintSchema = z
  .union([z.int().min(0), z.string().regex(/^(?:0|[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/, UINT)], {
    error: ({ input }) =>
      typeof input === 'string' || typeof input === 'number' ? UINT : undefined,
  })
  .transform(BigInt)

type Members = readonly { readonly name: string; readonly type: string }[]

/** Both the members and their order are part of the type hash. */
function membersSchema(members: Members) {
  const [first, ...others] = members.map(({ name, type }) =>
    z.strictObject({ name: z.literal(name), type: z.literal(type) }),
  )
  const order = members.map(({ name, type }) => `${type} ${name}`).join(', ')
  const isCount = (code: string | undefined) => code === 'too_small' || code === 'too_big'
  return z.tuple([first!, ...others], {
    error: ({ code }) => (isCount(code) ? `expected ${order}, in this order` : undefined),
  })
}

const TERM_SCHEMAS = {
  pkpId: hexSchema(32).meta({ description: 'ID of the wallet.' }),
  policyHash: hexSchema(32).meta({ description: 'Hash of the policy in this request.' }),
}

/** Typed with all terms as optional, to fit every purpose. */
function termFields(purpose: Purpose) {
  const fields = termNames(purpose).map((name) => [name, TERM_SCHEMAS[name]])
  return Object.fromEntries(fields) as { [Name in keyof ProofTerms]-?: z.ZodOptional<z.ZodString> }
}

/** The caller must check the chain ID and the time, and compare the terms with the request. */
function typedDataSchema(purpose: Purpose) {
  return z.strictObject({
    types: z.strictObject({
      EIP712Domain: membersSchema(DOMAIN_MEMBERS),
      [purpose]: membersSchema(PROOF_MEMBERS[purpose]),
    }),
    primaryType: z.literal(purpose),
    domain: z.strictObject({
      name: z.literal(DOMAIN_NAME),
      version: z.literal(DOMAIN_VERSION),
      chainId: uintSchema.meta({ description: 'Chain ID of the node’s chain.' }),
    }),
    message: z.strictObject({
      address: hexSchema(20).meta({ description: 'The signing wallet. Names are not resolved.' }),
      issuedAt: uintSchema.meta({ description: 'Unix seconds, at most 300 seconds from now.' }),
      ...termFields(purpose),
    }),
  })
}

/**
 * Signature of a wallet. An empty signature (`0x`) is valid, because a contract wallet may already have approved the
 * digest.
 */
const signatureSchema = z
  .string()
  .max(2 + 2 * WALLET_SIGNATURE_MAX_BYTES, `expected at most ${WALLET_SIGNATURE_MAX_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'expected hex with 0x and two digits per byte')
  .meta({
    description:
      'From eth_signTypedData_v4, or a signature that a contract wallet accepts (ERC-1271).',
  })

export function primaryTypeSchema(purpose: Purpose) {
  return z.object({ typed_data: z.object({ primaryType: z.literal(purpose) }) })
}

/** The schema parses integers into exact bigints. */
export function walletProofSchema(purpose: Purpose) {
  return z.object({ typed_data: typedDataSchema(purpose), signature: signatureSchema })
}

/**
 * Creates the fields of a wallet's proof, which are typed as unknown, but described in full in the OpenAPI document.
 * They are parsed later, when the chain and the current time are known (`WalletProofs.read`).
 * @param purposes the other fields of the request determine which one applies
 */
export function walletProofFields(...purposes: readonly [Purpose, ...Purpose[]]) {
  const [only, ...others] = purposes.map((purpose) =>
    jsonSchemaOf(typedDataSchema(purpose), 'input'),
  )
  const described =
    others.length === 0
      ? only!
      : { description: `Typed data of ${purposes.join(' or ')}.`, oneOf: [only!, ...others] }
  return {
    typed_data: z.unknown().meta(described),
    signature: z.unknown().meta(jsonSchemaOf(signatureSchema, 'input')),
  }
}

export const convertToChainSecuredAccountRequest = z.object({
  new_admin_wallet_address: hexSchema(20).meta({
    description: 'The wallet that signed the proof.',
  }),
  ...walletProofFields('ConvertAccount'),
})

export const convertToChainSecuredAccountResponse = z.object({
  success: z.literal(true),
  wallet_address: addressSchema.meta({
    description: 'The new admin wallet, as an EIP-55 address.',
  }),
  api_key_hash: hashSchema.meta({ description: "The account's hash, which does not change." }),
})
