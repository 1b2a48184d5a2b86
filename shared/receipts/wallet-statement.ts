/**
 * A statement about how the key of a wallet is derived: for policies, or so that actions can get it. It is signed with
 * the origin's receipt key, to which the evidence commits.
 */
import { z } from 'zod'
import { type JwsKey, verifyJws } from '../crypto/jws.ts'

export const WALLET_STATEMENT_TYPE = 'svc-wallet+jws'

const wordSchema = z.string().regex(/^0x[0-9a-f]{64}$/, 'expected 32 bytes in hex with 0x')
const addressSchema = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'expected 20 bytes in hex with 0x')

const walletStatementSchema = z
  .strictObject({
    v: z.literal(1),
    /** Hash of the account that owns the wallet, as in the contract. */
    account_hash: wordSchema,
    /** Address of the wallet, with an EIP-55 checksum. */
    wallet_address: addressSchema,
    pkp_id: wordSchema,
    /**
     * `policy`: the key is derived for policies, and no operation returns it. `exportable`: permitted actions can get
     * the key with `getPrivateKey`.
     */
    derivation: z.enum(['policy', 'exportable']),
    /**
     * Hash of the immutable policy with which the wallet was created. The key cannot be derived under another policy.
     */
    lock: wordSchema.nullable(),
    /** Compose hash of the application that signed the statement. */
    compose_hash: z.string().regex(/^[0-9a-f]{64}$/, 'expected SHA-256 in hex'),
    /** Chain of the contract that records the policy of the wallet. */
    chain_id: z.int().min(1),
    contract: addressSchema,
  })
  .refine(({ derivation, lock }) => derivation === 'policy' || lock === null)
export type WalletStatement = z.infer<typeof walletStatementSchema>

const STATEMENT = {
  type: WALLET_STATEMENT_TYPE,
  noun: 'wallet statement',
  payload: walletStatementSchema,
}

/** Verifies the signature. The caller must check the fields. @throws {InvalidJwsError} */
export function readWalletStatement(text: string, key: JwsKey): Promise<WalletStatement> {
  return verifyJws(text, STATEMENT, key)
}
