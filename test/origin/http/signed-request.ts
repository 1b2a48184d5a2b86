/** What a wallet signs to ask the origin, as a client makes it. */
import type { Wallet } from 'ethers'
import { PROOF_MEMBERS, type Purpose, typedDataOf } from '../../../shared/typed-data.ts'

/** The origin that is asked, or what there is to know of it. */
type Asked = { services: { now: () => number; chain: { chainId: bigint } } }

type Changes = {
  /** Whom the typed data names; else the signer. */
  address?: string
  /** Unix seconds; else the origin's now. */
  issuedAt?: number
}

/** @returns `{typed_data, signature}`, by whoever signs */
export async function signedBy(
  signer: Pick<Wallet, 'address' | 'signTypedData'>,
  purpose: Purpose,
  { services }: Asked,
  { address = signer.address, issuedAt = Math.floor(services.now() / 1000) }: Changes = {},
) {
  const typed_data = typedDataOf({
    purpose,
    address,
    issuedAt,
    chainId: services.chain.chainId,
  })
  const members = { [purpose]: [...PROOF_MEMBERS] }
  const signature = await signer.signTypedData(typed_data.domain, members, typed_data.message)
  return { typed_data, signature }
}

/** As a header carries it. */
export function inBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** The headers of a request that a wallet makes for billing. */
export async function walletAuth(
  signer: Pick<Wallet, 'address' | 'signTypedData'>,
  origin: Asked,
  changes: Changes = {},
): Promise<Record<string, string>> {
  return { 'x-wallet-auth': inBase64(await signedBy(signer, 'BillingAuth', origin, changes)) }
}
