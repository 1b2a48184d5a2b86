import type { Purpose } from '../../shared/typed-data.ts'
import { principalOfWallet } from '../accounts/admin-wallet.ts'
import type { Principal } from '../accounts/state.ts'
import type { WalletProof } from '../accounts/wallet-proofs/proof.ts'
import { WalletProofRefused } from '../accounts/wallet-proofs/refusal.ts'
import type { Services } from '../services.ts'

/** A signed proof, not validated yet. */
export type Signed = { typed_data?: unknown; signature?: unknown }

/** A well-formed proof that is not a valid credential: outside the time window, or not signed by that wallet. */
export class SignatureRefused extends Error {
  readonly refusal: WalletProofRefused

  constructor(refusal: WalletProofRefused) {
    super('the signature is refused as a credential')
    this.name = 'SignatureRefused'
    this.refusal = refusal
  }
}

/**
 * Authenticates a wallet's signature and returns the account whose admin the wallet is. The admin is looked up before
 * the signature is verified, so that nobody can make our node call an arbitrary contract, and again afterwards, since
 * the account may have been transferred in the meantime.
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

/** Converts proof errors to 401, except errors of form, which remain errors of the request. */
async function asCredential<Result>(look: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await look()
  } catch (error) {
    const isForm = error instanceof WalletProofRefused && error.fault.kind === 'form'
    if (error instanceof WalletProofRefused && !isForm) throw new SignatureRefused(error)
    throw error
  }
}
