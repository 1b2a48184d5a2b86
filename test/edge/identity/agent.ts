import { encodeBase64url } from '../../../shared/base64url.ts'
import { field } from './browser.ts'
import type { Browser } from './browser.ts'

/** What an agent makes for itself, by the specification's Authentication 2 and 3. */
export async function newAgent(): Promise<{ token: string; challenge: string; path: string }> {
  const token = encodeBase64url(crypto.getRandomValues(new Uint8Array(48)))
  const challenge = await challengeOf(token)
  return { token, challenge, path: `/agent/authorize?challenge=${challenge}` }
}

export async function challengeOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return encodeBase64url(new Uint8Array(digest))
}

/** The form token of the page that a signed-in browser sees for a challenge. */
export async function csrfOf(browser: Browser, challenge: string): Promise<string> {
  const page = await browser.get(`/agent/authorize?challenge=${challenge}`)
  return field(await page.text(), 'csrf')
}

/** Opens the page and presses a button of it. */
export async function decide(browser: Browser, challenge: string, decision = 'authorize') {
  const csrf = await csrfOf(browser, challenge)
  return browser.post('/agent/authorize', { challenge, csrf, decision })
}
