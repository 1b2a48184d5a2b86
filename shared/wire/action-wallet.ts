import { z } from 'zod'
import { addressSchema } from './fields.ts'
import { requiredCid } from './registered-actions.ts'
import { requestSchema } from './aliased-fields.ts'

export const actionWalletQuery = requestSchema({ cid: requiredCid })

export const actionWalletResponse = z.object({
  action_cid: z.string(),
  public_key: z
    .string()
    .regex(/^0x04[0-9a-f]{128}$/)
    .meta({ description: 'The uncompressed secp256k1 point, as an action sees it.' }),
  wallet_address: addressSchema,
  statement: z.string().meta({
    description:
      'The same fields, signed with the receipt key: a JWS in compact form (docs/derived-actions.md).',
  }),
})
