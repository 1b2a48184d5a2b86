import { encodeBase64url } from '../../../shared/encoding/base64url.ts'
import { field } from './browser.ts'
import type { Browser } from './browser.ts'

/** Creates a token, its challenge and authorization path, as an agent would. */
export async function newAgent(): Promise<{ token: string; challenge: string; path: string }> {
  const token = encodeBase64url(crypto.getRandomValues(new Uint8Array(48)))
  const challenge = await challengeOf(token)
  return { token, challenge, path: `/agent/authorize?challenge=${challenge}` }
}

export async function challengeOf(token: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
  return encodeBase64url(new Uint8Array(digest))
}

/** Returns the form token from the page for a challenge. */
export async function csrfOf(browser: Browser, challenge: string): Promise<string> {
  const page = await browser.get(`/agent/authorize?challenge=${challenge}`)
  return field(await page.text(), 'csrf')
}

/** Opens the page for a challenge and submits its form with a decision. */
export async function decide(browser: Browser, challenge: string, decision = 'authorize') {
  const csrf = await csrfOf(browser, challenge)
  return browser.post('/agent/authorize', { challenge, csrf, decision })
}
