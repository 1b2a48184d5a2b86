/** What a browser may do with a page of ours, and with whom it may share it. */
import type { Context } from 'hono'
import type { AppEnv } from '../app-env.ts'
import { STYLE } from './style.ts'

/** The one script that a page may run, and the origins that it may ask. */
export type PageScript = { url: string; connect: string[] }

/** Addresses here carry secrets and challenges, and pages carry form tokens: not in a cache, a Referer or a frame. */
export function guardPage(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
}

/** The value of `Content-Security-Policy`: what is not named there is refused by the browser. */
export async function contentSecurityPolicy(script: PageScript | undefined): Promise<string> {
  pagePolicy ??= `default-src 'none'; style-src 'sha256-${await styleHash()}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
  return pagePolicy + scriptPolicy(script)
}

/** All that its script writes into the page is text: what would be markup is refused by the browser. */
function scriptPolicy(script: PageScript | undefined): string {
  if (script === undefined) return ''
  const { url, connect } = script
  return `; script-src ${url}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`
}

let pagePolicy: string | undefined

/** Computed from the text itself, so the two cannot drift apart. */
async function styleHash(): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
