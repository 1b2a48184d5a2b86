import { z } from 'zod'

/** RFC 5321 4.5.3.1.3: a path has at most 256 octets, two of them its angle brackets. */
const EMAIL_MAX_CHARACTERS = 254

const emailSchema = z
  .string()
  .trim()
  .max(EMAIL_MAX_CHARACTERS)
  .pipe(z.email())
  .pipe(z.string().toLowerCase())

/**
 * The address in the one form that accounts are known by, or `undefined`. It is checked before it is
 * lower-cased: some letters outside ASCII (U+212A, the Kelvin sign) become ASCII ones, and would turn a
 * stranger's address into yours.
 */
export function parseEmail(text: string): string | undefined {
  return emailSchema.safeParse(text).data
}

/** Where mail to an address arrives: `name+tag` is the mailbox of `name`. @param email as `parseEmail` gives it */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  return email.slice(0, at).split('+', 1)[0]! + email.slice(at)
}
