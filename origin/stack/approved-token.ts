/** Simulates a user on the sign-in and approval pages, with the same requests as a browser. */
import { createHash, randomBytes } from 'node:crypto'

type ApprovedToken = { token: string; email: string }

/** Returns the last sign-in link that was sent to an address, or undefined if there is none. */
export type ReadLink = (triggersUrl: string, email: string) => Promise<string | undefined>

/** @throws {Error} if a page fails; the message names the page */
export async function createApprovedToken(
  triggersUrl: string,
  email = 'demo@example.com',
  readLink: ReadLink = linkInLocalMailbox,
): Promise<ApprovedToken> {
  const token = randomBytes(48).toString('base64url')
  const challenge = createHash('sha256').update(token).digest('base64url')
  const url = `${triggersUrl}/agent/authorize?challenge=${challenge}`
  await approve(url, email, undefined, readLink)
  return { token, email }
}

/**
 * Signs in with the link from the mailbox and presses Authorize.
 * @param code code that the program displays; it is entered if the page asks for a code, and otherwise compared with
 * the code on the page
 * @throws {Error} if a page fails; the message names the page
 */
export async function approve(
  authorizeUrl: string,
  email = 'demo@example.com',
  code?: string,
  readLink: ReadLink = linkInLocalMailbox,
): Promise<void> {
  const { origin, searchParams } = new URL(authorizeUrl)
  const cookie = await signIn(origin, email, readLink)
  const page = await fetch(authorizeUrl, { headers: { cookie } })
  const text = await page.text()
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1]
  if (csrf === undefined)
    throw new Error(`the approval page does not contain a form (status ${page.status})`)
  const isTyped = text.includes('name="user_code"')
  if (code !== undefined && !isTyped && !text.includes(code))
    throw new Error(`the approval page does not show the code ${code}`)
  const challenge = searchParams.get('challenge') ?? ''
  const fields = {
    challenge,
    csrf,
    decision: 'authorize',
    ...(isTyped && { user_code: code ?? '' }),
  }
  const approved = await post(origin, '/agent/authorize', fields, cookie)
  const title = /<h1[^>]*>([^<]*)/.exec(await approved.text())?.[1]
  if (approved.status !== 200 || !/authorized$/i.test(title ?? ''))
    throw new Error(`the approval failed with status ${approved.status}: ${title ?? 'no title'}`)
}

async function linkInLocalMailbox(triggersUrl: string, email: string): Promise<string | undefined> {
  const accept = { accept: 'application/json' }
  const mailbox = await fetch(`${triggersUrl}/dev/mailbox`, { headers: accept })
  const mails = (await mailbox.json()) as { recipient: string; link: string | null }[]
  const isSignIn = (link: string | null) => link?.includes('/sign-in/link?') === true
  return mails.find((mail) => mail.recipient === email && isSignIn(mail.link))?.link ?? undefined
}

/** Signs in with the link from the mailbox. @returns the session's cookie */
export async function signIn(
  triggersUrl: string,
  email: string,
  readLink: ReadLink = linkInLocalMailbox,
): Promise<string> {
  const requested = await post(triggersUrl, '/sign-in', { email, next: '/' })
  if (requested.status !== 200)
    throw new Error(`the sign-in failed with status ${requested.status}`)
  const link = await readLink(triggersUrl, email)
  if (!link) throw new Error('the mailbox does not contain a link')
  const secret = new URL(link).searchParams.get('secret') ?? ''
  const signedIn = await post(triggersUrl, '/sign-in/link', { secret })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0]
  if (cookie === undefined)
    throw new Error(`the sign-in link returned status ${signedIn.status} without a cookie`)
  return cookie
}

function post(triggersUrl: string, path: string, fields: Record<string, string>, cookie = '') {
  return fetch(triggersUrl + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { origin: triggersUrl, cookie },
    redirect: 'manual',
  })
}
