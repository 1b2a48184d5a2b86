import { hexlify, Wallet } from 'ethers'
import {
  typedDataDigest,
  type ProofStatement,
  typedDataOf,
} from '../../../shared/crypto/typed-data.ts'
import type { TestOrigin } from './origin.ts'

type Signer = { address: string; signingKey: Wallet['signingKey'] }

/** The chain ID of anvil. */
const CHAIN_ID = 31_337

/**
 * A request to convert an account to this wallet.
 * @param change to the statement; the result is signed, whatever it states
 */
export function conversionTo(signer: Signer, change: Partial<ProofStatement> = {}) {
  const statement: ProofStatement = {
    purpose: 'ConvertAccount',
    address: signer.address,
    issuedAt: Math.floor(Date.now() / 1000),
    chainId: CHAIN_ID,
    ...change,
  }
  return {
    new_admin_wallet_address: statement.address,
    typed_data: typedDataOf(statement),
    signature: signer.signingKey.sign(hexlify(typedDataDigest(statement))).serialized,
  }
}

/**
 * Converts an account to a new wallet.
 * @returns the wallet, now its admin
 */
export async function makeChainSecured(origin: TestOrigin, key: string) {
  const admin = Wallet.createRandom()
  const { status, body } = await convert(origin, key, conversionTo(admin))
  if (status !== 200) throw new Error(`not converted: ${JSON.stringify(body)}`)
  return admin
}

export const convert = (
  origin: TestOrigin,
  key: string,
  body: unknown,
  headers: Record<string, string> = {},
) => origin.core('convert_to_chain_secured_account', { key, body, headers })
