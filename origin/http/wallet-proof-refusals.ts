import { ApiError } from '../../shared/errors.ts'
import { PROOF_WINDOW_S } from '../../shared/limits.ts'
import type { WalletProofRefused } from '../accounts/wallet-proofs/refusal.ts'

/**
 * Returns 422 for a missing field or a wrong JSON type, and 400 for everything else, including a bad signature: if the
 * credential is a key, the signature is an ordinary value.
 */
export function walletProofRefusal({ fault }: WalletProofRefused): ApiError {
  switch (fault.kind) {
    case 'form':
      return new ApiError(
        fault.isOfWrongType ? 422 : 400,
        fault.message,
        'Sign exactly the typed data of the reference with eth_signTypedData_v4, no field more and in this order, and send what was signed.',
      )
    case 'outside_window':
      return new ApiError(
        400,
        `typed_data.message.issuedAt: expected Unix seconds within ${PROOF_WINDOW_S} of ${fault.now}, the time here`,
        'Sign again with the present time, and set the clock right if this stays.',
      )
    case 'not_of_address':
      return new ApiError(
        400,
        `signature: it is not of ${fault.address}, where there is no contract either`,
        'Sign with the wallet that message.address names: 65 bytes, s in the lower half, v 27 or 28. A contract wallet has to be deployed on the chain of this node.',
      )
    case 'not_of_contract':
      return new ApiError(
        400,
        `signature: the contract at ${fault.address} does not accept it (ERC-1271 isValidSignature)`,
        'Send what the contract wallet accepts for the digest of this typed data; GET /core/v1/limits has the gas that it is given.',
      )
    case 'counterfactual':
      return new ApiError(
        400,
        'signature: the form of ERC-6492, for wallets that are not deployed, is not supported',
        'Deploy the wallet on the chain of this node, and send the signature without the ERC-6492 wrapping.',
      )
  }
}
