/** What a browser may do with a page of ours, and with whom it may share it. */
import type { Context } from 'hono'
import type { ProcessorSources } from '../../payment/processor-sources.ts'
import type { AppEnv } from '../app-env.ts'

/** The scripts that a page may run, by URL: the one that it begins with, what that imports when it is needed, and the origins that they may ask. */
export type PageScript = {
  url: string
  modules?: string[]
  connect: string[]
  /** Pictures that are a part of the page's own text, such as the icons of wallets: they ask nobody. */
  dataImages?: true
  /** Of somebody else's script, on a page that has nothing which that script may not have. */
  foreign?: ProcessorSources
}

/** Addresses here carry secrets and challenges, and pages carry form tokens: not in a cache, a Referer or a frame. */
export function guardPage(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
}

/**
 * The value of `Content-Security-Policy`: what is not named there is refused by the browser.
 * @param styles the texts of the page's `<style>` elements: constants of ours, each let in by its hash
 */
export async function contentSecurityPolicy(
  styles: readonly string[],
  script: PageScript | undefined,
): Promise<string> {
  const hashes = await Promise.all(styles.map(styleHash))
  const allowed = hashes.map((hash) => `'sha256-${hash}'`).join(' ')
  const action = script?.foreign ? "'none'" : "'self'"
  const policy = `default-src 'none'; style-src ${allowed}; form-action ${action}; frame-ancestors 'none'; base-uri 'none'`
  return policy + (script?.foreign ? foreignPolicy(script, script.foreign) : scriptPolicy(script))
}

/** It may ask its own hosts alone: with what this site answers to this person's cookie it has nothing to do. */
function foreignPolicy({ url, connect }: PageScript, foreign: ProcessorSources): string {
  const sources = {
    'script-src': [url, ...foreign.scripts],
    'connect-src': [...connect, ...foreign.connect],
    'frame-src': foreign.frames,
    'img-src': foreign.images,
    'worker-src': ["'none'"],
  }
  return Object.entries(sources)
    .map(([name, allowed]) => `; ${name} ${allowed.join(' ')}`)
    .join('')
}

/** All that its scripts write into the page is text: what would be markup is refused by the browser. */
function scriptPolicy(script: PageScript | undefined): string {
  if (script === undefined) return ''
  const { url, modules = [], connect, dataImages } = script
  const images = dataImages ? '; img-src data:' : ''
  return `${images}; script-src ${[url, ...modules].join(' ')}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`
}

/** Computed from the text itself, once an isolate, so the two cannot drift apart. */
const hashes = new Map<string, string>()
async function styleHash(style: string): Promise<string> {
  const known = hashes.get(style)
  if (known !== undefined) return known
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  hashes.set(style, hash)
  return hash
}
