/** Typed data of ConvertAccount. All names and the order of fields affect the hash. */
import type { Wallet } from 'ethers'

type Field = { name: string; type: string }
export type TypedData = {
  types: { EIP712Domain: Field[]; ConvertAccount: Field[] }
  primaryType: string
  domain: { name: string; version: string; chainId: number }
  message: { address: string; issuedAt: number }
}
export type ConvertAccount = {
  new_admin_wallet_address: string
  typed_data: TypedData
  signature: string
}

export function convertTypedData(address: string, chainId: number, issuedAt: number): TypedData {
  return {
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
      ],
      ConvertAccount: [
        { name: 'address', type: 'address' },
        { name: 'issuedAt', type: 'uint256' },
      ],
    },
    primaryType: 'ConvertAccount',
    domain: { name: 'Svc ChainSecured', version: '1', chainId },
    message: { address, issuedAt },
  }
}

/** Signs a proof. `claimed` differs from the signer if a contract wallet verifies for the address (ERC-1271). */
export async function convertProof(
  signer: Wallet,
  data: TypedData,
  claimed = signer.address,
): Promise<ConvertAccount> {
  const types = { ConvertAccount: data.types.ConvertAccount }
  const signature = await signer.signTypedData(data.domain, types, data.message)
  return { new_admin_wallet_address: claimed, typed_data: data, signature }
}

export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
