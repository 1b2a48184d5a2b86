/** Requests that a wallet signs, as a client creates them. */
import type { Wallet } from 'ethers'
import {
  PROOF_MEMBERS,
  type ProofTerms,
  type Purpose,
  typedDataOf,
} from '../../../shared/crypto/typed-data.ts'

/** The origin that is called, or the parts of it that are needed. */
type Asked = { services: { now: () => number; chain: { chainId: bigint } } }

type Changes = {
  /** Address in the typed data; by default, the signer's. */
  address?: string
  /** Unix seconds; by default, the current time of the origin. */
  issuedAt?: number
  /** Members of the purpose besides the address and the time. */
  terms?: ProofTerms
}

/** @returns `{typed_data, signature}`, signed by `signer` */
export async function signedBy(
  signer: Pick<Wallet, 'address' | 'signTypedData'>,
  purpose: Purpose,
  { services }: Asked,
  {
    address = signer.address,
    issuedAt = Math.floor(services.now() / 1000),
    terms = {},
  }: Changes = {},
) {
  const typed_data = typedDataOf({
    purpose,
    address,
    issuedAt,
    chainId: services.chain.chainId,
    terms,
  })
  const members = { [purpose]: [...PROOF_MEMBERS[purpose]] }
  const signature = await signer.signTypedData(typed_data.domain, members, typed_data.message)
  return { typed_data, signature }
}

/** Encodes a value as headers carry it. */
export function inBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** Returns the headers of a request by a wallet. */
export async function walletAuth(
  signer: Pick<Wallet, 'address' | 'signTypedData'>,
  origin: Asked,
  changes: Changes = {},
  purpose: Purpose = 'BillingAuth',
): Promise<Record<string, string>> {
  return { 'x-wallet-auth': inBase64(await signedBy(signer, purpose, origin, changes)) }
}
