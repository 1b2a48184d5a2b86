/** EIP-6963. The announcements are untrusted. */
import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'
import { comparableName } from '../../components/user-text.tsx'

export type AnnouncedWallet = {
  uuid: string
  /** Announced by the wallet. Not necessarily unique. */
  name: string
  /** Reverse domain name of the publisher, as announced. */
  rdns: string
  /** `data:` URL; undefined if it is not acceptable. */
  icon: string | undefined
  provider: Eip1193Provider
}

/** Limits the list if an extension announces wallets endlessly. */
const WALLETS_MAX = 20
const NAME_MAX_CHARACTERS = 60
const RDNS_MAX_CHARACTERS = 100
/** Icons usually have a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/** In an `<img>`, none of these types can run scripts or load resources, even SVG. */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

/** Also listens for later announcements, until the returned function is called. */
export function watchAnnouncedWallets(
  target: EventTarget,
  onChange: (wallets: readonly AnnouncedWallet[]) => void,
): () => void {
  const known: AnnouncedWallet[] = []
  const listener = (event: Event) => {
    const wallet = readAnnouncement(event)
    // Only the first announcement of a UUID counts, so that a wallet cannot replace another one.
    if (!wallet || known.length === WALLETS_MAX || known.some(({ uuid }) => uuid === wallet.uuid))
      return
    known.push(wallet)
    onChange([...known])
  }
  target.addEventListener('eip6963:announceProvider', listener)
  target.dispatchEvent(new Event('eip6963:requestProvider'))
  return () => target.removeEventListener('eip6963:announceProvider', listener)
}

export function haveSimilarNames(wallets: readonly Pick<AnnouncedWallet, 'name'>[]): boolean {
  return new Set(wallets.map(({ name }) => comparableName(name))).size < wallets.length
}

/** Reads each untrusted field only once, and then validates it. */
function readAnnouncement(event: Event): AnnouncedWallet | undefined {
  try {
    const { info, provider } = (event as CustomEvent).detail
    const { uuid, name, rdns, icon } = info
    if (![uuid, name, rdns].every((text) => typeof text === 'string' && text !== ''))
      return undefined
    if (typeof provider?.request !== 'function') return undefined
    return {
      uuid,
      name: truncateCharacters(name, NAME_MAX_CHARACTERS),
      rdns: truncateCharacters(rdns, RDNS_MAX_CHARACTERS),
      icon: acceptableIcon(icon),
      provider,
    }
  } catch {
    return undefined
  }
}

/** The icon is used only as the source of an `<img>`. Undefined if it is not acceptable. */
export function acceptableIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}

function truncateCharacters(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
