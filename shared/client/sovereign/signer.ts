/** A browser wallet (EIP-1193). */
export type Eip1193Provider = {
  request(question: { method: string; params?: readonly unknown[] | object }): Promise<unknown>
}

/**
 * The part of an ethers v6 signer that the client uses. Its provider must support JSON-RPC, as all except
 * `FallbackProvider` do.
 */
export type EthersSigner = {
  getAddress(): Promise<string>
  signTypedData(
    domain: object,
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>
  sendTransaction(transaction: object): Promise<{ hash: string }>
  provider: object | null
}

export type EthereumSigner = Eip1193Provider | EthersSigner

/** A contract call in JSON-RPC format: quantities are 0x hex. */
export type ContractCall = {
  from: string
  to: string
  data: string
  gas: string
  chainId: string
}

/** Common interface of both kinds of wallets. Its methods never retry. */
export type Wallet = {
  /** Returns 0x hex of 20 bytes, in any case. A browser wallet prompts its owner the first time. */
  address(): Promise<string>
  /** Calls a JSON-RPC method of the wallet's node and returns the raw result. */
  read(method: string, params: readonly unknown[]): Promise<unknown>
  /** @param typedData as for `eth_signTypedData_v4` */
  signTypedData(address: string, typedData: SignedData): Promise<string>
  /** @returns the hash of the transaction */
  send(call: ContractCall): Promise<string>
  /** Asks the owner to switch chains. Absent if the wallet cannot prompt. */
  switchChain?(chainId: string): Promise<void>
}

export type SignedData = {
  types: Record<string, readonly { readonly name: string; readonly type: string }[]>
  domain: object
  message: Record<string, unknown>
}
