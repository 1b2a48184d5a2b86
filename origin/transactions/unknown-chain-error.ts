/** Longest part of an unknown name that the message repeats. */
const SHOWN_MAX = 40

/** Thrown if a request names a chain on which this origin sends no transactions. */
export class UnknownChainError extends Error {
  override readonly name = 'UnknownChainError'
  readonly configured: readonly { name: string; chainId: number }[]

  constructor(chain: string, configured: UnknownChainError['configured']) {
    const known = configured.map(({ name, chainId }) => `${name} (${chainId})`).join(', ')
    super(
      configured.length > 0
        ? `unknown chain ${JSON.stringify(chain.slice(0, SHOWN_MAX))}; known chains: ${known}`
        : 'this origin has no chains for transactions; its operator can configure them (CHAINS)',
    )
    this.configured = configured
  }
}
