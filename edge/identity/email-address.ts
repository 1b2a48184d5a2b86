import { z } from 'zod'

/** RFC 5321, 4.5.3.1.3: a path has at most 256 octets, including two angle brackets. */
const EMAIL_MAX_CHARACTERS = 254

const emailSchema = z
  .string()
  .trim()
  .max(EMAIL_MAX_CHARACTERS)
  .pipe(z.email())
  .pipe(z.string().toLowerCase())

/**
 * Normalizes an address to the form that identifies accounts; `undefined` if it is invalid. The address is validated
 * before it is lower-cased: some non-ASCII letters (U+212A, the Kelvin sign) lower-case to ASCII, and would turn one
 * person's address into another's.
 */
export function parseEmail(text: string): string | undefined {
  return emailSchema.safeParse(text).data
}

/**
 * Returns the mailbox of an address: `name+tag` is delivered to `name`.
 * @param email as returned by `parseEmail`
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  return email.slice(0, at).split('+', 1)[0]! + email.slice(at)
}
