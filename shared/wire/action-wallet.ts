/** `GET /core/v1/get_svc_action_wallet` */
import { z } from 'zod'
import { addressAnswer } from './fields.ts'
import { rawCid } from './registered-actions.ts'
import { requestOf } from './spellings.ts'

export const actionWalletQuery = requestOf({ cid: rawCid })

export const actionWalletAnswer = z.object({
  action_cid: z.string(),
  public_key: z
    .string()
    .regex(/^0x04[0-9a-f]{128}$/)
    .meta({ description: 'The uncompressed secp256k1 point, as an action sees it.' }),
  wallet_address: addressAnswer,
  statement: z.string().meta({
    description:
      'The same fields, signed with the receipt key: a JWS in compact form (docs/derived-actions.md).',
  }),
})
