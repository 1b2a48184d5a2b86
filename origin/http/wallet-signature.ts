import type { Purpose } from '../../shared/typed-data.ts'
import { principalOfWallet } from '../accounts/admin-wallet.ts'
import type { Principal } from '../accounts/state.ts'
import type { WalletProof } from '../accounts/wallet-proofs/proof.ts'
import { WalletProofRefused } from '../accounts/wallet-proofs/refusal.ts'
import type { Services } from '../services.ts'

/** As it was sent. */
export type Signed = { typed_data?: unknown; signature?: unknown }

/** Well-formed, and yet it shows of nobody that he asks: too old, or not of that wallet. */
export class SignatureRefused extends Error {
  readonly refusal: WalletProofRefused

  constructor(refusal: WalletProofRefused) {
    super('the signature is refused as a credential')
    this.name = 'SignatureRefused'
    this.refusal = refusal
  }
}

/**
 * Who asks by a wallet's signature: the account whose admin the wallet is. That it is one is looked up before the
 * signature is verified, so that nobody has our node call a contract of their choice; and again afterwards, since the
 * account may have been handed on while the node answered.
 * @param address the client's
 * @throws {WalletProofRefused} for another form (400, 422)
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

/** Only the form is the request's; the rest is about who asks. */
async function asCredential<Result>(look: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await look()
  } catch (error) {
    const isForm = error instanceof WalletProofRefused && error.fault.kind === 'form'
    if (error instanceof WalletProofRefused && !isForm) throw new SignatureRefused(error)
    throw error
  }
}
