/** Functions of `Svc.Actions` (docs/actions.md#keys). */
import type { BigNumber, providers, Signer } from './ethers.js'
import type { Transaction } from './transaction.ts'

/** A number of wei or gas: a BigInt, a BigNumber, decimal or 0x hex text, or an integer below 2^53. */
export type Amount = bigint | BigNumber | string | number

/** Bytes of a message. A string is text, even if it looks like hex. */
type Message = string | Uint8Array | Uint8ClampedArray | readonly number[]

/** Typed data (EIP-712). `types` does not include `EIP712Domain`. */
export type TypedData = {
  domain: {
    name?: string
    version?: string
    chainId?: Amount
    verifyingContract?: string
    salt?: string | Uint8Array
  }
  types: Record<string, readonly { name: string; type: string }[]>
  value: Record<string, unknown>
}

/** A transaction to sign: legacy (0, the default), EIP-2930 (1) or EIP-1559 (2). */
export type SigningTransaction = {
  type?: 0 | 1 | 2
  chainId?: Amount
  nonce?: Amount
  /** Absent or null to create a contract. */
  to?: string | null
  /** Must be the wallet's address. */
  from?: string
  data?: string | Uint8Array
  value?: Amount
  gasLimit?: Amount
  gasPrice?: Amount
  maxFeePerGas?: Amount
  maxPriorityFeePerGas?: Amount
  accessList?: readonly {
    address: string
    storageKeys: readonly string[]
  }[]
}

/** A transaction that the service sends. It chooses the nonce and the fees (docs/actions.md#transactions). */
export type TransactionToSend = {
  pkpId: string
  /** The name of a configured chain, such as `base`, or its chain ID. */
  chain: string | number
  to: string
  data?: string | Uint8Array
  value?: Amount
  /** The gas limit. Estimated by default. */
  gas?: Amount
  /** The highest fee in wei that may be paid for a unit of gas. */
  maxFeePerGas?: Amount
  /** @default 'normal' */
  speed?: 'fast' | 'normal' | 'cheap'
  /** Signatures of the contract's errors, such as `error Paused(uint256 until)`, with which a revert is decoded. */
  errors?: readonly string[]
  /** Every run of the action that sends the same key gets the same transaction. */
  idempotencyKey?: string
}

/** A signer of ethers v5 whose signatures come from the process that holds the keys. */
export interface WalletSigner extends Signer {
  readonly address: string
  connect(provider: providers.Provider): WalletSigner
  _signTypedData(
    domain: TypedData['domain'],
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>
}

/** Each call of a function except `wallet` is a key operation. A run may make ten. */
export interface SvcActions {
  /** Returns a signer for a wallet. `pkpId` is its address, or its 32-byte ID. */
  wallet(input: { pkpId: string }): WalletSigner
  /** Signs a message (EIP-191). @returns 65 bytes as 0x hex */
  signMessage(input: { pkpId: string; message: Message }): Promise<string>
  /** Signs typed data (EIP-712). @returns 65 bytes as 0x hex */
  signTypedData(input: { pkpId: string } & TypedData): Promise<string>
  /** @returns the signed transaction, serialized as 0x hex */
  signTransaction(input: { pkpId: string; transaction: SigningTransaction }): Promise<string>
  /** Signs a hash of 32 bytes. @returns 65 bytes as 0x hex */
  signDigest(input: { pkpId: string; digest: string | Uint8Array }): Promise<string>
  /** Queues a transaction, which the service signs and sends until it is final. */
  sendTransaction(input: TransactionToSend): Promise<Transaction>
  /**
   * Returns a transaction. With `waitFor`, waits until it has the state or can no longer reach it, for at most `timeoutMs`
   * (30 s by default).
   */
  transaction(
    input:
      | { id: string; waitFor: 'mined' | 'final'; timeoutMs?: number }
      | { id: string; waitFor?: never; timeoutMs?: never },
  ): Promise<Transaction>
  /** @returns the private key of a wallet as 0x hex */
  getPrivateKey(input: { pkpId: string }): Promise<string>
  /** Encrypts a text of at most 64 KiB, for `decrypt` with the same wallet. @returns base64 */
  encrypt(input: { pkpId: string; message: string }): Promise<string>
  /** @returns the message */
  decrypt(input: { pkpId: string; ciphertext: string }): Promise<string>
  /** @returns the action's own private key as 0x hex. It depends only on the action's CID */
  getSvcActionPrivateKey(): Promise<string>
  /**
   * Returns the W3C trace context of this run, for the header `traceparent` of requests to services that should appear in
   * the same trace. `fetch` does not send it by itself. Counts as a key operation.
   */
  getTraceparent(): Promise<string>
  /** @returns the uncompressed public key of the action with this CID, as 0x hex */
  getSvcActionPublicKey(input: { ipfsId: string }): Promise<string>
  /** @returns the address of the action with this CID */
  getSvcActionWalletAddress(input: { ipfsId: string }): Promise<string>
}
