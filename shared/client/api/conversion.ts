/** From API mode to ChainSecured: the account is its admin wallet's from then on, and there is no way back. */
import type { CoreCalls } from '../core/core-calls.ts'
import type { NodeOperations } from '../core/node.ts'
import type { CallOptions } from '../options.ts'
import type { EthereumSigner } from '../sovereign/signer.ts'

export type Converted = {
  success: true
  /** The admin wallet. */
  wallet_address: string
  /** Of the account: it stays what it was. */
  api_key_hash: string
}

export type ConversionParts = {
  calls: CoreCalls
  node: NodeOperations
  /** Unix milliseconds. */
  now: () => number
}

/**
 * Has the wallet prove itself, and hands it the account. Afterwards the account key is refused (403) but for billing.
 * @throws {WrongChain} where the wallet is on another chain than the node: nothing was signed
 * @throws {WalletRefused | WalletFailed | NoWallet} nothing was sent
 */
export async function convertToChainSecured(
  { calls, node, now }: ConversionParts,
  signer: EthereumSigner,
  options?: CallOptions,
): Promise<Converted> {
  const [{ walletOf }, { requireWalletChain }, { signProof }] = await Promise.all([
    import('../sovereign/wallet-of.ts'),
    import('../sovereign/wallet-chain.ts'),
    import('../sovereign/sign.ts'),
  ])
  const wallet = walletOf(signer)
  const { signal } = options ?? {}
  const chainId = BigInt((await node.getNodeChainConfig(signal && { signal })).chain_id)
  await requireWalletChain(wallet, chainId)
  const proof = await signProof(wallet, { purpose: 'ConvertAccount', chainId, now })
  signal?.throwIfAborted()
  const body = { new_admin_wallet_address: proof.typed_data.message.address, ...proof }
  return calls.write('convert_to_chain_secured_account', body, options)
}
