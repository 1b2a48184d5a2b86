import { csrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'

/**
 * Hidden form field with a CSRF token. The token is valid only in this session, and only for `subject`, which names an
 * action and its target.
 */
export async function CsrfField({ session, subject }: { session: Session; subject: string }) {
  return <input type="hidden" name="csrf" value={await csrfToken(session.secret, subject)} />
}
