/** Icons are untrusted, and used only as the source of an `<img>`. */

/** Icons usually have a few kilobytes. */
const ICON_MAX_CHARACTERS = 96 * 1024

/** In an `<img>`, none of these types can run scripts or load resources, even SVG. */
const ICON = /^data:image\/(?:png|webp|jpeg|svg\+xml)[;,]/

/** Undefined if the icon is not acceptable. */
export function acceptableIcon(icon: unknown): string | undefined {
  if (typeof icon !== 'string' || icon.length > ICON_MAX_CHARACTERS) return undefined
  return ICON.test(icon) ? icon : undefined
}
