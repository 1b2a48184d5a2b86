/** Whose window an answer may be shown in. */

const POLICY = 'cross-origin-opener-policy'

/** With either, who has opened the window has none of ours in it. */
const CUT_OFF: readonly (string | null)[] = ['same-origin', 'noopener-allow-popups']

/**
 * A browser makes a document of whatever it is shown, of a script or of JSON too. Such a one has this site's origin and no
 * policy: a script of somebody else that had opened it (on `/pay`) would ask by it what no page lets it ask. So each answer
 * is cut off from its opener, and not pages alone.
 */
export function inOwnWindow(response: Response): Response {
  if (CUT_OFF.includes(response.headers.get(POLICY))) return response
  const own = new Response(response.body, response)
  own.headers.set(POLICY, 'same-origin')
  return own
}
