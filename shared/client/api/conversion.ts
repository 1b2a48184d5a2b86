import type { CoreCalls } from '../core/core-calls.ts'
import type { NodeOperations } from '../core/common-operations.ts'
import { adviseIfLost } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import { abortable, anySignal } from '../abortable.ts'
import type { EthereumSigner } from '../sovereign/signer.ts'

export type Converted = {
  success: true
  wallet_address: string
  /** Hash that identifies the account in the contract. The conversion does not change the hash. */
  api_key_hash: string
}

type ConversionParts = {
  calls: CoreCalls
  node: NodeOperations
  now: () => number
  signal: AbortSignal | undefined
}

/**
 * Transfers control of the account to the wallet. Afterwards, the service rejects the account key (403), except for
 * billing.
 * @throws {WrongChain} if the wallet and the node are on different chains. In this case, nothing was signed
 * @throws {WalletRefused | WalletFailed | NoWallet} if the wallet did not sign. In this case, nothing was sent
 */
export async function convertToChainSecured(
  { calls, node, now, ...ofClient }: ConversionParts,
  signer: EthereumSigner,
  options?: CallOptions,
): Promise<Converted> {
  const [{ walletOf }, { requireChain }, { signProof }] = await Promise.all([
    import('../sovereign/wallet-of.ts'),
    import('../sovereign/wallet-chain.ts'),
    import('../sovereign/sign.ts'),
  ])
  const wallet = walletOf(signer)
  const signal = anySignal(ofClient.signal, options?.signal)
  const chainId = BigInt((await node.getNodeChainConfig(signal && { signal })).chain_id)
  await abortable(requireChain(wallet, chainId), signal)
  const signing = signProof(wallet, { purpose: 'ConvertAccount', chainId, now })
  const proof = await abortable(signing, signal)
  signal?.throwIfAborted()
  const body = { new_admin_wallet_address: proof.typed_data.message.address, ...proof }
  const path = 'convert_to_chain_secured_account'
  return calls.write<Converted>(path, body, options).catch(adviseIfLost(UNKNOWN_CONVERSION_FIX))
}

/**
 * Advice for a lost response to a conversion. An Idempotency-Key does not help, because a retry has a new proof in its
 * body. Only the contract shows the outcome.
 */
const UNKNOWN_CONVERSION_FIX =
  "The account may already belong to the wallet: check with createClient({ mode: 'sovereign', … }).accountHash(). If it finds no account within a minute, convert again."
