/** Finds browser wallets through EIP-6963 announcements, which are untrusted. */
import type { Eip1193Provider } from '../../../../shared/client/sovereign/signer.ts'
import { comparableName } from '../../components/user-text.tsx'

export type AnnouncedWallet = {
  uuid: string
  /** Name that the wallet announces. Not necessarily unique. */
  name: string
  /** Reverse domain name of the publisher, as announced by the wallet. */
  rdns: string
  /** Icon as a `data:` URL; undefined if the announced icon is not acceptable. */
  icon: string | undefined
  provider: Eip1193Provider
}

/** Maximum number of listed wallets, in case an extension announces wallets endlessly. */
const WALLETS_MAX = 20
const NAME_MAX_CHARACTERS = 60
const RDNS_MAX_CHARACTERS = 100
/** Maximum length of an icon's URL. Icons usually have a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/**
 * Pattern of acceptable icons. In an `<img>`, images of these types cannot run scripts or load resources, not even SVG
 * images.
 */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

export function watchAnnouncedWallets(
  target: EventTarget,
  onChange: (wallets: readonly AnnouncedWallet[]) => void,
): () => void {
  const known: AnnouncedWallet[] = []
  const listener = (event: Event) => {
    const wallet = readAnnouncement(event)
    // Accepts only the first announcement of a UUID, so that a wallet cannot replace another one.
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

/** Each untrusted field is read only once, and then validated. */
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

/** The icon is used only as the source of an `<img>`. */
export function acceptableIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}

function truncateCharacters(text: string, most: number): string {
  const characters = [...text]
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`
}
