/** Interface of a browser wallet (EIP-1193). */
export type Eip1193Provider = {
  request(question: { method: string; params?: readonly unknown[] | object }): Promise<unknown>
}

/**
 * The part of an ethers v6 signer that the client uses. The signer's provider must support JSON-RPC, which
 * `FallbackProvider` does not.
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

/** Contract call in JSON-RPC format. Quantities are 0x hex. */
type ContractCall = {
  from: string
  to: string
  data: string
  gas: string
  chainId: string
}

/** Common interface of browser wallets and ethers signers. The methods never retry. */
export type WalletAdapter = {
  /**
   * Returns the wallet's address as 0x hex of 20 bytes, in any letter case. A browser wallet prompts its owner on the
   * first call.
   */
  address(): Promise<string>
  read(method: string, params: readonly unknown[]): Promise<unknown>
  /** Signs typed data. @param typedData in the format of `eth_signTypedData_v4` */
  signTypedData(address: string, typedData: TypedDataToSign): Promise<string>
  send(call: ContractCall): Promise<string>
  /** Asks the wallet's owner to switch to another chain. Absent if the wallet cannot prompt its owner. */
  switchChain?(chainId: string): Promise<void>
}

type TypedDataToSign = {
  types: Record<string, readonly { readonly name: string; readonly type: string }[]>
  domain: object
  message: Record<string, unknown>
}
