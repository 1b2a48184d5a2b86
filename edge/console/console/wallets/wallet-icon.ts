/** Pictures of wallets are chosen by whoever wrote the extension: shown as pictures, where they can be nothing else. */

/** Of the whole address; icons of wallets have a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/** What runs nothing and asks nobody within an `<img>`, scripts in an SVG included. */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

/** The address of a picture, or nothing. */
export function walletIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}
