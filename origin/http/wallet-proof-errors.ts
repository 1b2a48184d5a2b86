import { ApiError } from '../../shared/errors/api-error.ts'
import { PROOF_WINDOW_S } from '../../shared/limits.ts'
import type { WalletProofError } from '../accounts/wallet-proofs/wallet-proof-error.ts'

/**
 * Converts a wallet proof error to 422 if a field is missing or has the wrong JSON type, and to 400 otherwise. A bad
 * signature is also a 400: if the request is authenticated with a key, the signature is an ordinary value in the body.
 */
export function walletProofError({ fault }: WalletProofError): ApiError {
  switch (fault.kind) {
    case 'form':
      return new ApiError(
        fault.isOfWrongType ? 422 : 400,
        fault.message,
        'Sign exactly the typed data of the API reference with eth_signTypedData_v4, with no additional fields and in this order, and send it unmodified.',
      )
    case 'outside_window':
      return new ApiError(
        400,
        `typed_data.message.issuedAt: expected Unix seconds within ${PROOF_WINDOW_S} of the server time, ${fault.now}`,
        'Sign again with the current time. If this persists, correct your clock.',
      )
    case 'not_of_address':
      return new ApiError(
        400,
        `signature: not a signature of ${fault.address}, and no contract is deployed at that address`,
        'Sign with the wallet in message.address: 65 bytes, s in the lower half, v 27 or 28. A contract wallet must be deployed on the chain of this origin.',
      )
    case 'not_of_contract':
      return new ApiError(
        400,
        `signature: rejected by the contract at ${fault.address} (ERC-1271 isValidSignature)`,
        'Send a signature that the contract wallet accepts for the digest of this typed data. GET /core/v1/limits lists its gas limit.',
      )
    case 'counterfactual':
      return new ApiError(
        400,
        'signature: ERC-6492 signatures of undeployed wallets are not supported',
        'Deploy the wallet on the chain of this origin, and send the signature without the ERC-6492 wrapper.',
      )
  }
}
