import { z } from 'zod'

/**
 * Maximum length of an address. SMTP limits a path to 256 octets, including two angle brackets (RFC 5321, 4.5.3.1.3).
 */
const EMAIL_MAX_CHARACTERS = 254

const emailSchema = z
  .string()
  .trim()
  .max(EMAIL_MAX_CHARACTERS)
  .pipe(z.email())
  .pipe(z.string().toLowerCase())

/**
 * Normalizes an e-mail address to the form that identifies an account. The address is validated before it is converted
 * to lower case, because some non-ASCII letters (such as U+212A, the Kelvin sign) become ASCII in lower case, which
 * would turn one person's address into another's.
 */
export function parseEmail(text: string): string | undefined {
  return emailSchema.safeParse(text).data
}

/**
 * Removes the tag from the name, because most mail hosts deliver `name+tag` to `name`.
 * @param email address as returned by `parseEmail`
 * @returns `name` without its tag, and `host` including the `@`
 */
export function splitEmail(email: string): { name: string; host: string } {
  const at = email.lastIndexOf('@')
  return { name: email.slice(0, at).split('+', 1)[0]!, host: email.slice(at) }
}

export function mailboxOf(email: string): string {
  const { name, host } = splitEmail(email)
  return name + host
}
