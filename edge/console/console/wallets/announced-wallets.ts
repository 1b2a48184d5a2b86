/** Discovers the browser's wallets (EIP-6963). Their announcements are unverified. */
import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'
import { asRead } from '../../user-text.tsx'
import { walletIcon } from './wallet-icon.ts'

export type AnnouncedWallet = {
  uuid: string
  /** Self-chosen, and not necessarily unique. */
  name: string
  /** Reverse domain name of the wallet's publisher. */
  rdns: string
  /** A `data:` URL of an image. */
  icon: string | undefined
  provider: Eip1193Provider
}

/** More than anyone has installed. Bounds the list if an extension announces wallets endlessly. */
const WALLETS_MAX = 20
const NAME_MAX_CHARACTERS = 60
const RDNS_MAX_CHARACTERS = 100

/**
 * Requests announcements, and listens for wallets that announce themselves later.
 * @param onChange called with all known wallets, in order of arrival
 * @returns a function that removes the listener
 */
export function announcedWallets(
  target: EventTarget,
  onChange: (wallets: readonly AnnouncedWallet[]) => void,
): () => void {
  const known: AnnouncedWallet[] = []
  const listener = (event: Event) => {
    const wallet = walletIn(event)
    // The first announcement of a UUID wins, so that another wallet cannot replace it.
    if (!wallet || known.length === WALLETS_MAX || known.some(({ uuid }) => uuid === wallet.uuid))
      return
    known.push(wallet)
    onChange([...known])
  }
  target.addEventListener('eip6963:announceProvider', listener)
  target.dispatchEvent(new Event('eip6963:requestProvider'))
  return () => target.removeEventListener('eip6963:announceProvider', listener)
}

/** Returns true if two of the names look the same. */
export function hasNamesakes(wallets: readonly Pick<AnnouncedWallet, 'name'>[]): boolean {
  return new Set(wallets.map(({ name }) => asRead(name))).size < wallets.length
}

/** Parses an announcement. Reads each untrusted field once, and validates it. */
function walletIn(event: Event): AnnouncedWallet | undefined {
  try {
    const { info, provider } = (event as CustomEvent).detail
    const { uuid, name, rdns, icon } = info
    if (![uuid, name, rdns].every((text) => typeof text === 'string' && text !== ''))
      return undefined
    if (typeof provider?.request !== 'function') return undefined
    return {
      uuid,
      name: folded(name, NAME_MAX_CHARACTERS),
      rdns: folded(rdns, RDNS_MAX_CHARACTERS),
      icon: walletIcon(icon),
      provider,
    }
  } catch {
    return undefined
  }
}

function folded(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
