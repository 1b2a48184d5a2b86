import type { WebhookFiring } from './firing.ts'

export type Withheld = { withheld: Record<string, string>; withheldTruncated: boolean }

/**
 * Passes the headers that the owner named (`options.pass_headers`) and records their names, because history masks
 * them: their owner knows best which headers the patterns do not recognise as secrets.
 * @param names in lower case; denied headers are not in `withheld`, so a denial wins over a name
 */
export function passNamed(
  firing: WebhookFiring,
  names: readonly string[],
  { withheld, withheldTruncated }: Withheld,
): WebhookFiring {
  const added = names.filter((name) => Object.hasOwn(withheld, name))
  const maskedHeaders = names.filter(
    (name) => Object.hasOwn(withheld, name) || Object.hasOwn(firing.headers, name),
  )
  return {
    ...firing,
    // Defines own properties: a header may be called `__proto__`.
    headers: Object.fromEntries([
      ...Object.entries(firing.headers),
      ...added.map((name) => [name, withheld[name]!]),
    ]),
    ...(withheldTruncated ? { headersTruncated: true } : {}),
    maskedHeaders,
  }
}
