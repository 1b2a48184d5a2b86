import type { AccountOperations } from '../core/account.ts'
import type { AccountContract } from './account-contract.ts'
import type { SendWithProof } from './send-with-proof.ts'
import { nameAndDescription } from './group-writes.ts'

type DerivedWallet = { wallet_address: string; pkp_id: string; derivation_path: string }

/**
 * Creates a wallet. The service derives the wallet under a path that the service chooses, and a transaction of the
 * admin registers the wallet. If the transaction is never mined, nothing needs to be undone.
 */
export function createWallet(
  contract: AccountContract,
  askWithProof: SendWithProof,
): AccountOperations['createWallet'] {
  return async (fields = {}, options) => {
    const [name, description] = nameAndDescription(fields)
    const derived = await askWithProof<DerivedWallet>(
      'CreateWallet',
      'create_wallet_with_signature',
      { name, description },
      options,
    )
    const { wallet_address, pkp_id, derivation_path } = derived
    const args = [pkp_id, derivation_path, name, description]
    await contract.write(
      `register wallet ${wallet_address}`,
      'registerWalletDerivation',
      args,
      options,
    )
    return { wallet_address, pkp_id }
  }
}
