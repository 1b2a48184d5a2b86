import { csrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'

/** Properties of the approval page of a challenge. */
export async function approvalProps({
  challenge,
  session,
}: {
  challenge: string
  session: Session
}) {
  const csrf = await csrfToken(session.secret, approvalCsrfSubject(challenge))
  return { challenge, email: session.user.email, csrf }
}

/** Each subject contains the challenge, so that a CSRF token cannot approve another request. */
export function approvalCsrfSubject(challenge: string): string {
  return `agent-authorize/${challenge}`
}
