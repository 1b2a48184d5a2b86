import type { SignedRequest } from './scheme.ts'
import { fillTemplate } from './signed-content.ts'

/** Percent-encoded characters that HubSpot decodes before it signs the URL ("Validate the v3 request signature"). */
const DECODED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi

/** Content of HubSpot's signature v3. */
export async function hubspotContent(request: SignedRequest): Promise<Uint8Array | undefined> {
  const { method, body, headers } = request
  const url = request.url.replaceAll(DECODED, (encoded) => decodeURIComponent(encoded))
  const timestamp = headers['x-hubspot-request-timestamp']
  return fillTemplate('{method}{url}{body}{timestamp}', { method, url, body, timestamp })
}
