/**
 * What a request carries to show that a wallet asks: typed data in one exact form, and the wallet's signature of it
 * (specification, ConvertAccount typed data: one field or one place off is rejected).
 */
import { z } from 'zod'
import { WALLET_SIGNATURE_MAX_BYTES } from '../limits.ts'
import {
  DOMAIN_MEMBERS,
  DOMAIN_NAME,
  DOMAIN_VERSION,
  PROOF_MEMBERS,
  type Purpose,
} from '../typed-data.ts'
import { addressAnswer, hashAnswer, hex } from './fields.ts'

const UINT = 'expected an unsigned integer: a number, or its decimal or 0x hex text'

/** A uint256 as number, decimal text or hex text (`decisions.md`, convert_to_chain_secured_account). */
const uintSchema = z
  .union([z.int().min(0), z.string().regex(/^(?:0|[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/, UINT)], {
    error: ({ input }) =>
      typeof input === 'string' || typeof input === 'number' ? UINT : undefined,
  })
  .transform(BigInt)

type Members = readonly { readonly name: string; readonly type: string }[]

/** Exactly these, in this order: both are part of the type's hash. */
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

/** Typed data of one purpose, and of no other form. Its chain and its time are looked at by who knows these. */
export function typedDataSchema(purpose: Purpose) {
  return z.strictObject({
    types: z.strictObject({
      EIP712Domain: membersSchema(DOMAIN_MEMBERS),
      [purpose]: membersSchema(PROOF_MEMBERS),
    }),
    primaryType: z.literal(purpose),
    domain: z.strictObject({
      name: z.literal(DOMAIN_NAME),
      version: z.literal(DOMAIN_VERSION),
      chainId: uintSchema.meta({ description: 'The chain of the node.' }),
    }),
    message: z.strictObject({
      address: hex(20).meta({ description: 'The wallet that signs. Names are not resolved.' }),
      issuedAt: uintSchema.meta({ description: 'Unix seconds, at most 300 from now.' }),
    }),
  })
}

/** `0x` alone is a signature too: of a contract wallet that knows the digest already. */
export const signatureSchema = z
  .string()
  .max(2 + 2 * WALLET_SIGNATURE_MAX_BYTES, `expected at most ${WALLET_SIGNATURE_MAX_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'expected whole bytes of hex with 0x')
  .meta({ description: 'Of eth_signTypedData_v4; of a contract wallet what it takes (ERC-1271).' })

/** What a proof says that it is for. */
export function primaryTypeSchema(purpose: Purpose) {
  return z.object({ typed_data: z.object({ primaryType: z.literal(purpose) }) })
}

/** A proof as it is read: with numbers that are exact. */
export function walletProofSchema(purpose: Purpose) {
  return z.object({ typed_data: typedDataSchema(purpose), signature: signatureSchema })
}

/**
 * The fields of a proof in an operation's body: described as they are read, and read where chain and clock are known
 * (`WalletProofs.read`).
 */
export function walletProofFields(purpose: Purpose) {
  return {
    typed_data: z.unknown().meta(described(typedDataSchema(purpose))),
    signature: z.unknown().meta(described(signatureSchema)),
  }
}

/** For the API's description, that sees the unknown fields alone. */
function described(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...description } = z.toJSONSchema(schema, { io: 'input' })
  return description
}

export const convertToChainSecuredAccountRequest = z.object({
  new_admin_wallet_address: hex(20).meta({ description: 'The wallet that signed.' }),
  ...walletProofFields('ConvertAccount'),
})

export const convertToChainSecuredAccountAnswer = z.object({
  success: z.literal(true),
  wallet_address: addressAnswer.meta({ description: 'The new admin wallet, in EIP-55 form.' }),
  api_key_hash: hashAnswer.meta({ description: "The account's hash, which stays what it was." }),
})
