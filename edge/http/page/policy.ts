/** Security headers of pages: what a browser allows a page to do, and to share with others. */
import type { Context } from 'hono'
import type { ProcessorSources } from '../../payment/processor-sources.ts'
import type { AppEnv } from '../app-env.ts'

/**
 * Scripts that a page may load, by URL: the entry script, the modules that it imports on demand, and the origins that
 * they may connect to.
 */
export type PageScript = {
  url: string
  modules?: string[]
  connect: string[]
  /** Allows images in `data:` URLs, such as icons of wallets, which cause no requests. */
  dataImages?: true
  /** Sources of a third-party script, for a page without anything that the script must not access. */
  foreign?: ProcessorSources
}

/**
 * Keeps pages out of caches, Referer headers and frames: their URLs contain secrets and challenges, and their content
 * CSRF tokens.
 */
export function guardPage(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
}

/**
 * Returns the value of `Content-Security-Policy`, which blocks everything that it does not allow.
 * @param styles contents of the page's `<style>` elements; each must be a constant, and is allowed by its hash
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

/** Allows the third-party script to connect only to its own hosts, never to this site with the user's cookie. */
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

/** Requires Trusted Types without any policy: scripts can insert text into the page, but no markup. */
function scriptPolicy(script: PageScript | undefined): string {
  if (script === undefined) return ''
  const { url, modules = [], connect, dataImages } = script
  const images = dataImages ? '; img-src data:' : ''
  return `${images}; script-src ${[url, ...modules].join(' ')}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`
}

/** Computed from the text itself, once per isolate, so that the style and its hash cannot diverge. */
const hashes = new Map<string, string>()
async function styleHash(style: string): Promise<string> {
  const known = hashes.get(style)
  if (known !== undefined) return known
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  hashes.set(style, hash)
  return hash
}
