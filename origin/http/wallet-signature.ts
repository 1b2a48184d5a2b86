import { type ProofTerms, type Purpose, termNames } from '../../shared/crypto/typed-data.ts'
import { principalOfWallet } from '../accounts/admin-wallet.ts'
import type { Principal } from '../accounts/account.ts'
import type { WalletProof } from '../accounts/wallet-proofs/wallet-proofs.ts'
import { WalletProofError } from '../accounts/wallet-proofs/wallet-proof-error.ts'
import type { OriginServices } from '../services.ts'

export type UnverifiedProof = { typed_data?: unknown; signature?: unknown }

/** A well-formed wallet proof is outside its time window, or not signed by the wallet that it names. */
export class WalletCredentialError extends Error {
  override readonly name = 'WalletCredentialError'
  readonly refusal: WalletProofError

  constructor(refusal: WalletProofError) {
    super('the signature was rejected as a credential')
    this.refusal = refusal
  }
}

type ExpectedProof = {
  purpose: Purpose
  /** Returns the other values that the wallet must have signed. May be costly, so it is called after verification. */
  terms?: () => ProofTerms
}

/**
 * Authenticates an account's admin wallet by its signature. Looks up the admin before verifying the signature, so that
 * strangers cannot make our node call arbitrary contracts. Looks up the admin again afterwards, because the account may
 * have been transferred in the meantime.
 * @throws {WalletProofError} if the proof is malformed, or is for a different policy or wallet (400, 422)
 * @throws {WalletCredentialError | NotAdminError} 401
 * @throws {LimitExceededError | OverloadedError | ContractUnavailableError | DatabaseUnavailableError}
 */
export async function authenticateSignature(
  sent: UnverifiedProof,
  { purpose, terms = () => ({}) }: ExpectedProof,
  address: string,
  {
    mirror,
    walletProofs,
    walletCalls,
  }: Pick<OriginServices, 'mirror' | 'walletProofs' | 'walletCalls'>,
): Promise<Principal> {
  const proof = await withCredentialErrors<WalletProof>(() => walletProofs.read(sent, purpose))
  principalOfWallet(proof.address, mirror.current())
  await walletCalls.takeProof(address)
  await withCredentialErrors(() => walletProofs.verify(proof))
  const principal = principalOfWallet(proof.address, mirror.current())
  requireTerms(proof, terms())
  return principal
}

/**
 * Rejects a proof that is for a different policy or wallet than the request.
 * @throws {WalletProofError}
 */
function requireTerms(proof: WalletProof, expected: ProofTerms): void {
  for (const name of termNames(proof.purpose))
    if (proof.terms[name] !== expected[name])
      throw new WalletProofError({
        kind: 'form',
        message: `typed_data.message.${name}: expected ${expected[name]}, as in the rest of the request`,
        isOfWrongType: false,
      })
}

/** Converts proof errors to 401; a malformed proof remains an error of the request (400, 422). */
async function withCredentialErrors<Result>(
  check: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    const isForm = error instanceof WalletProofError && error.fault.kind === 'form'
    if (error instanceof WalletProofError && !isForm) throw new WalletCredentialError(error)
    throw error
  }
}
