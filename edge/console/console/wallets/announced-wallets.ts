/** Wallets of the browser, as they announce themselves (EIP-6963). All of it is theirs to choose, and none of it is proven. */
import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'
import { asRead } from '../../user-text.tsx'
import { walletIcon } from './wallet-icon.ts'

export type AnnouncedWallet = {
  uuid: string
  /** As it calls itself: another may call itself the same. */
  name: string
  /** A domain of its maker's, reversed. */
  rdns: string
  /** A `data:` address of a picture. */
  icon: string | undefined
  provider: Eip1193Provider
}

/** More than anybody has; whoever announces without end fills no page. */
const WALLETS_MAX = 20
const NAME_MAX_CHARACTERS = 60
const RDNS_MAX_CHARACTERS = 100

/**
 * Asks who is there, and listens for who comes late.
 * @param onChange told of all that are known, in the order in which they came
 * @returns stops listening
 */
export function announcedWallets(
  target: EventTarget,
  onChange: (wallets: readonly AnnouncedWallet[]) => void,
): () => void {
  const known: AnnouncedWallet[] = []
  const listener = (event: Event) => {
    const wallet = walletIn(event)
    // The first of an id stays: nobody takes its place.
    if (!wallet || known.length === WALLETS_MAX || known.some(({ uuid }) => uuid === wallet.uuid))
      return
    known.push(wallet)
    onChange([...known])
  }
  target.addEventListener('eip6963:announceProvider', listener)
  target.dispatchEvent(new Event('eip6963:requestProvider'))
  return () => target.removeEventListener('eip6963:announceProvider', listener)
}

/** Whether two of them would be read as the same. */
export function hasNamesakes(wallets: readonly Pick<AnnouncedWallet, 'name'>[]): boolean {
  return new Set(wallets.map(({ name }) => asRead(name))).size < wallets.length
}

/** Whatever a page's neighbours may put into an event: read once, and believed in nothing. */
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
