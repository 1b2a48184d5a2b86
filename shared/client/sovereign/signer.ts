/** A wallet as browsers have it (EIP-1193). */
export type Eip1193Provider = {
  request(question: { method: string; params?: readonly unknown[] | object }): Promise<unknown>
}

/** The part of a signer of ethers v6 that is used. Its provider is one of JSON-RPC, as all are but `FallbackProvider`. */
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

/** A call of a contract, as nodes take it: quantities are 0x hex. */
export type ContractCall = {
  from: string
  to: string
  data: string
  gas: string
  chainId: string
}

/** What the client asks of a wallet, whatever kind it is. Nothing is asked twice. */
export type Wallet = {
  /** Its address, 0x hex of 20 bytes in any case; a browser's wallet asks its owner at the first time. */
  address(): Promise<string>
  /** Of the node that the wallet speaks to, as it answers. */
  read(method: string, params: readonly unknown[]): Promise<unknown>
  /** @param typedData as for `eth_signTypedData_v4` */
  signTypedData(address: string, typedData: SignedData): Promise<string>
  /** @returns the hash of the transaction */
  send(call: ContractCall): Promise<string>
  /** Asks the owner to change the chain; absent where there is nobody to ask. */
  switchChain?(chainId: string): Promise<void>
}

export type SignedData = {
  types: Record<string, readonly { readonly name: string; readonly type: string }[]>
  domain: object
  message: Record<string, unknown>
}
