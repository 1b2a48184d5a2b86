/** Validates the icons of wallets. They are untrusted, and used only as the source of an `<img>`. */

/** Limit for the whole URL. Icons of wallets usually take a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/** Image types that run no scripts and load no resources within an `<img>`. This includes SVG. */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

/** Returns the icon's URL, or undefined if it is not acceptable. */
export function walletIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}
