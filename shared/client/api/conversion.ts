/** Converts an account from API mode to ChainSecured, where its admin wallet controls it. This is irreversible. */
import type { CoreCalls } from '../core/core-calls.ts'
import type { NodeOperations } from '../core/node.ts'
import { eitherSignal } from '../either-signal.ts'
import { NetworkFailed } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import { orAborted } from '../sovereign/aborted.ts'
import type { EthereumSigner } from '../sovereign/signer.ts'

export type Converted = {
  success: true
  /** Address of the admin wallet. */
  wallet_address: string
  /** The account's hash, which does not change. */
  api_key_hash: string
}

export type ConversionParts = {
  calls: CoreCalls
  node: NodeOperations
  /** Unix milliseconds. */
  now: () => number
  /** The client's own signal. */
  signal: AbortSignal | undefined
}

/**
 * Asks the wallet for a signed proof, and transfers control of the account to it. Afterwards, the account key is
 * rejected (403) except for billing.
 * @throws {WrongChain} if the wallet is on another chain than the node. Nothing was signed
 * @throws {WalletRefused | WalletFailed | NoWallet} if there is no signature. Nothing was sent
 */
export async function convertToChainSecured(
  { calls, node, now, ...ofClient }: ConversionParts,
  signer: EthereumSigner,
  options?: CallOptions,
): Promise<Converted> {
  const [{ walletOf }, { requireWalletChain }, { signProof }] = await Promise.all([
    import('../sovereign/wallet-of.ts'),
    import('../sovereign/wallet-chain.ts'),
    import('../sovereign/sign.ts'),
  ])
  const wallet = walletOf(signer)
  const signal = eitherSignal(ofClient.signal, options?.signal)
  const chainId = BigInt((await node.getNodeChainConfig(signal && { signal })).chain_id)
  await orAborted(requireWalletChain(wallet, chainId), signal)
  const signing = signProof(wallet, { purpose: 'ConvertAccount', chainId, now })
  const proof = await orAborted(signing, signal)
  signal?.throwIfAborted()
  const body = { new_admin_wallet_address: proof.typed_data.message.address, ...proof }
  const path = 'convert_to_chain_secured_account'
  return calls.write<Converted>(path, body, options).catch(mayBeConverted)
}

/**
 * Explains a lost response. A new proof is a different body, so the Idempotency-Key cannot recover the response, and
 * only the contract shows the outcome.
 */
function mayBeConverted(error: unknown): never {
  if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted) throw error
  const fix =
    "The account may be the wallet's by now: createClient({ mode: 'sovereign', … }).accountHash() finds it then. Where it finds none for a minute, convert again."
  throw new NetworkFailed({ mayHaveBeenExecuted: true, fix }, { cause: error.cause })
}
