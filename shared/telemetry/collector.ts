/** Requests to an OTLP collector, as the specification of OTLP/HTTP requires. */

/** Statuses after which the same request is sent again. After any other failure, the batch is dropped. */
const RETRYABLE = new Set([429, 502, 503, 504])

export function isRetryableStatus(status: number): boolean {
  return RETRYABLE.has(status)
}

/**
 * Returns the URL of a signal: `OTEL_EXPORTER_OTLP_ENDPOINT` is a base URL, to which the path of the signal is appended.
 *
 * @example
 *   signalUrl('https://collector.example/otlp', 'v1/traces') // https://collector.example/otlp/v1/traces
 */
export function signalUrl(endpoint: string, path: string): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`
  return url.href
}

/**
 * Parses the format of `OTEL_EXPORTER_OTLP_HEADERS`: `name=value` pairs, separated by commas, with values in percent
 * encoding (W3C Baggage). Undefined if the text is malformed.
 *
 * @example
 *   parseExporterHeaders('authorization=Bearer%20abc,x-tenant=svc')
 */
export function parseExporterHeaders(text: string): [name: string, value: string][] | undefined {
  const headers: [string, string][] = []
  for (const pair of text.split(',')) {
    const [, name, encoded] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? []
    if (name === undefined || encoded === undefined) return undefined
    const value = decodePercent(encoded)
    if (value === undefined || !/^[\t\x20-\x7e]*$/.test(value)) return undefined
    headers.push([name.toLowerCase(), value])
  }
  return headers
}

function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
