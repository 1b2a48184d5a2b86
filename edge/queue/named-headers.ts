import type { WebhookFiring } from './firing.ts'

export type WithheldHeaders = { withheld: Record<string, string>; withheldTruncated: boolean }

/**
 * Passes the headers of `options.pass_headers` to the action. Records their names so that the history masks their
 * values, because such a header may contain a secret that the patterns do not recognize.
 * @param names in lower case. Denied headers are never in `withheld`, so a denial takes precedence.
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
