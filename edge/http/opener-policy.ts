const POLICY_HEADER = 'cross-origin-opener-policy'

/** Values of `Cross-Origin-Opener-Policy` that deny the opener any access to our window. */
const ISOLATING_POLICIES: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * Adds an opener policy to every response, not only to pages. A browser can display any response as a document, even a
 * script or JSON. The document has our web origin, but no content security policy. A third-party script on `/pay` could
 * open such a document, and use it to send requests that our pages do not allow.
 */
export function withOpenerPolicy(response: Response): Response {
  if (ISOLATING_POLICIES.includes(response.headers.get(POLICY_HEADER))) return response
  const isolated = new Response(response.body, response)
  isolated.headers.set(POLICY_HEADER, 'same-origin')
  return isolated
}
