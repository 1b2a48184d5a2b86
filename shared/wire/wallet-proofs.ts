/**
 * Proof that a wallet authorizes a request: typed data in one exact form, and the wallet's signature over it
 * (docs/decisions/0034). Any missing, extra or reordered field is rejected.
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

/** A uint256 as a number, decimal text or hex text. */
const uintSchema = z
  .union([z.int().min(0), z.string().regex(/^(?:0|[1-9][0-9]{0,77}|0x[0-9a-fA-F]{1,64})$/, UINT)], {
    error: ({ input }) =>
      typeof input === 'string' || typeof input === 'number' ? UINT : undefined,
  })
  .transform(BigInt)

type Members = readonly { readonly name: string; readonly type: string }[]

/** Requires exactly these members in this order: both are part of the type hash. */
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

/** Typed data of one purpose, in its exact form. The caller checks the chain and the time. */
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

/** An empty signature (`0x`) is valid: a contract wallet may have approved the digest already. */
export const signatureSchema = z
  .string()
  .max(2 + 2 * WALLET_SIGNATURE_MAX_BYTES, `expected at most ${WALLET_SIGNATURE_MAX_BYTES} bytes`)
  .regex(/^0x(?:[0-9a-fA-F]{2})*$/, 'expected whole bytes of hex with 0x')
  .meta({ description: 'Of eth_signTypedData_v4; of a contract wallet what it takes (ERC-1271).' })

export function primaryTypeSchema(purpose: Purpose) {
  return z.object({ typed_data: z.object({ primaryType: z.literal(purpose) }) })
}

/** A complete proof. Its integers are parsed into exact bigints. */
export function walletProofSchema(purpose: Purpose) {
  return z.object({ typed_data: typedDataSchema(purpose), signature: signatureSchema })
}

/**
 * The fields of a proof in an operation's body. Typed as unknown but described in full: they are parsed where chain and
 * clock are known (`WalletProofs.read`).
 */
export function walletProofFields(purpose: Purpose) {
  return {
    typed_data: z.unknown().meta(described(typedDataSchema(purpose))),
    signature: z.unknown().meta(described(signatureSchema)),
  }
}

/** JSON Schema for the API description, which otherwise sees only `unknown`. */
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
