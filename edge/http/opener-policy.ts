const POLICY_HEADER = 'cross-origin-opener-policy'

/** Values that deny the opener any access to our window. */
const ISOLATING_POLICIES: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * Isolates every response, not only pages. A browser displays any response as a document, even a script or JSON, with
 * our web origin, but without a content security policy. A third-party script on `/pay` could open such a document, and
 * send requests through it that our pages do not allow.
 */
export function withOpenerPolicy(response: Response): Response {
  if (ISOLATING_POLICIES.includes(response.headers.get(POLICY_HEADER))) return response
  const isolated = new Response(response.body, response)
  isolated.headers.set(POLICY_HEADER, 'same-origin')
  return isolated
}
