/** Isolates responses from windows of other sites. */

const POLICY = 'cross-origin-opener-policy'

/** With either policy, the opener has no access to our window. */
const CUT_OFF: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * Adds `Cross-Origin-Opener-Policy` to every response, not only to pages. Browsers turn any response into a document,
 * including a script or JSON. That document has this site's origin but no policy, so a third-party script that opened
 * it (from `/pay`) could use it to send requests that no page allows.
 */
export function inOwnWindow(response: Response): Response {
  if (CUT_OFF.includes(response.headers.get(POLICY))) return response
  const own = new Response(response.body, response)
  own.headers.set(POLICY, 'same-origin')
  return own
}
