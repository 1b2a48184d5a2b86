const POLICY = 'cross-origin-opener-policy'

/** Values that deny the opener any access to our window. */
const CUT_OFF: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * Isolates every response, not only pages. A browser displays any response as a document, even a script or JSON, with
 * our web origin, but without a content security policy. A third-party script on `/pay` could open such a document, and
 * send requests through it that our pages do not allow.
 */
export function inOwnWindow(response: Response): Response {
  if (CUT_OFF.includes(response.headers.get(POLICY))) return response
  const own = new Response(response.body, response)
  own.headers.set(POLICY, 'same-origin')
  return own
}
