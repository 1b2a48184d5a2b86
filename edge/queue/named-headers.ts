import type { WebhookFiring } from './firing.ts'

export type Withheld = { withheld: Record<string, string>; withheldTruncated: boolean }

/**
 * Passes the headers that the owner named (`options.pass_headers`), and records their names so that the history masks
 * them: such a header may be a secret that the patterns do not recognize.
 * @param names in lower case; denied headers are never in `withheld`, so a denial overrides a name
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
