/** A wallet as browsers have it (EIP-1193). */
export type Eip1193Provider = {
  request(question: { method: string; params?: readonly unknown[] | object }): Promise<unknown>
}

/** The part of a signer of ethers v6 that is used. It needs a provider. */
export type EthersSigner = {
  getAddress(): Promise<string>
  signTypedData(
    domain: object,
    types: Record<string, { name: string; type: string }[]>,
    value: Record<string, unknown>,
  ): Promise<string>
  sendTransaction(transaction: object): Promise<{ hash: string }>
  provider: { send?: unknown } | null
}

export type EthereumSigner = Eip1193Provider | EthersSigner
