/** Validates the icons of wallets. The icons are untrusted, and used only as the source of an `<img>`. */

/** Maximum length of an icon's URL. Icons of wallets usually have a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/** Matches `data:` URLs of images. In an `<img>`, none of these types can run scripts or load resources, even SVG. */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

/** Returns the URL of an icon, or undefined if the icon is not acceptable. */
export function walletIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}
