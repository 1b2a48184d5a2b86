import type { Purpose } from '../../shared/typed-data.ts'
import { principalOfWallet } from '../accounts/admin-wallet.ts'
import type { Principal } from '../accounts/state.ts'
import type { WalletProof } from '../accounts/wallet-proofs/proof.ts'
import { WalletProofRefused } from '../accounts/wallet-proofs/refusal.ts'
import type { Services } from '../services.ts'

/** A signed proof that is not validated yet. */
export type Signed = { typed_data?: unknown; signature?: unknown }

/** A well-formed proof is outside the time window or not signed by the wallet that it names. */
export class SignatureRefused extends Error {
  readonly refusal: WalletProofRefused

  constructor(refusal: WalletProofRefused) {
    super('the signature was rejected as a credential')
    this.name = 'SignatureRefused'
    this.refusal = refusal
  }
}

/**
 * The admin is looked up before the signature is verified, so that strangers cannot make our node call arbitrary
 * contracts, and again afterwards, because the account may have been transferred in the meantime.
 * @param address the client's address
 * @throws {WalletProofRefused} if the form is wrong (400, 422)
 * @throws {SignatureRefused | NotTheAdmin} 401
 * @throws {TooManyCalls | Overloaded | ChainUnavailable | DatabaseUnavailable}
 */
export async function principalBySignature(
  sent: Signed,
  purpose: Purpose,
  address: string,
  { mirror, walletProofs, walletCalls }: Pick<Services, 'mirror' | 'walletProofs' | 'walletCalls'>,
): Promise<Principal> {
  const proof = await asCredential<WalletProof>(() => walletProofs.read(sent, purpose))
  principalOfWallet(proof.address, mirror.current())
  await walletCalls.proof(address)
  await asCredential(() => walletProofs.verify(proof))
  return principalOfWallet(proof.address, mirror.current())
}

/** Converts proof errors to 401; a malformed proof remains an error of the request (400, 422). */
async function asCredential<Result>(look: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await look()
  } catch (error) {
    const isForm = error instanceof WalletProofRefused && error.fault.kind === 'form'
    if (error instanceof WalletProofRefused && !isForm) throw new SignatureRefused(error)
    throw error
  }
}
