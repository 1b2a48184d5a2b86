import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'

export type WalletChange =
  | { on: 'as connected' }
  /** New address, or `undefined` if the wallet no longer shares an address with this page. */
  | { on: 'another address'; address: string | undefined }
  | { on: 'another chain'; chainId: string }
  | { on: 'nothing' }

type Emitter = {
  on?: (event: string, listener: (value: unknown) => void) => unknown
  removeListener?: (event: string, listener: (value: unknown) => void) => unknown
}

export function watchWallet(
  provider: Eip1193Provider,
  connected: { address: string; chainId: bigint },
  onChange: (change: WalletChange) => void,
): () => void {
  const emitter = provider as Emitter
  if (typeof emitter.on !== 'function') return () => {}
  const isOurs = (address: unknown) =>
    typeof address === 'string' && address.toLowerCase() === connected.address.toLowerCase()
  const listeners: Record<string, (value: unknown) => void> = {
    accountsChanged: (accounts) => {
      const first: unknown = Array.isArray(accounts) ? accounts[0] : undefined
      if (isOurs(first)) return onChange({ on: 'as connected' })
      return onChange({
        on: 'another address',
        address: typeof first === 'string' ? first : undefined,
      })
    },
    chainChanged: (chainId) => {
      const isRight = chainId === `0x${connected.chainId.toString(16)}`
      onChange(isRight ? { on: 'as connected' } : { on: 'another chain', chainId: String(chainId) })
    },
    disconnect: () => onChange({ on: 'nothing' }),
  }
  for (const [event, listener] of Object.entries(listeners)) emitter.on(event, listener)
  return () => {
    for (const [event, listener] of Object.entries(listeners))
      emitter.removeListener?.(event, listener)
  }
}
