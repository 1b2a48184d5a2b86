/** Isolates our windows from other windows by `Cross-Origin-Opener-Policy`. */

const POLICY = 'cross-origin-opener-policy'

/** Values of `Cross-Origin-Opener-Policy` that deny the opener any access to our window. */
const CUT_OFF: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * Adds `Cross-Origin-Opener-Policy` to every response, not only to pages. A browser displays any response as a
 * document, even a script or JSON. Such a document has our web origin, but no content security policy. A third-party
 * script on `/pay` could open such a document, and send requests through it that our pages do not allow.
 */
export function inOwnWindow(response: Response): Response {
  if (CUT_OFF.includes(response.headers.get(POLICY))) return response
  const own = new Response(response.body, response)
  own.headers.set(POLICY, 'same-origin')
  return own
}
