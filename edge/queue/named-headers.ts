import type { WebhookFiring } from './firing.ts'

export type WithheldHeaders = { withheld: Record<string, string>; withheldTruncated: boolean }

/**
 * Passes the headers listed in `options.pass_headers` to the action. Records the names of these headers, so that the
 * history masks their values. The values may be secrets that the patterns for secret headers do not recognize.
 * @param names header names in lower case. A denied header is never in `withheld`, so listing its name has no effect.
 */
export function passNamedHeaders(
  firing: WebhookFiring,
  names: readonly string[],
  { withheld, withheldTruncated }: WithheldHeaders,
): WebhookFiring {
  const added = names.filter((name) => Object.hasOwn(withheld, name))
  const maskedHeaders = names.filter(
    (name) => Object.hasOwn(withheld, name) || Object.hasOwn(firing.headers, name),
  )
  return {
    ...firing,
    // `Object.fromEntries` defines own properties, even for a header named `__proto__`.
    headers: Object.fromEntries([
      ...Object.entries(firing.headers),
      ...added.map((name) => [name, withheld[name]!]),
    ]),
    ...(withheldTruncated ? { headersTruncated: true } : {}),
    maskedHeaders,
  }
}
