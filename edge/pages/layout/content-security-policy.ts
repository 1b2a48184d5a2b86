import type { Context } from 'hono'
import type { ProcessorSources } from '../../payment/processor-sources.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { sha256 } from '../../sha256.ts'

/** URLs of the entry script and of modules that it imports on demand, and origins to which these may connect. */
export type PageScript = {
  url: string
  modules?: string[]
  connect: string[]
  /** Images in `data:` URLs, such as icons of wallets. They cause no requests. */
  dataImages?: true
  /** Third-party script. Use this only for a page without any data that must be hidden from the script. */
  thirdParty?: ProcessorSources
}

/** Prevents caching, framing and Referers: URLs contain secrets and challenges, and pages contain CSRF tokens. */
export function setPageHeaders(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
}

/**
 * Blocks everything by default.
 * @param styles contents of the page's `<style>` elements, which are allowed by hash; each must be a constant
 */
export async function contentSecurityPolicy(
  styles: readonly string[],
  script: PageScript | undefined,
): Promise<string> {
  const hashes = await Promise.all(styles.map(styleHash))
  const allowed = hashes.map((hash) => `'sha256-${hash}'`).join(' ')
  const action = script?.thirdParty ? "'none'" : "'self'"
  const policy = `default-src 'none'; style-src ${allowed}; form-action ${action}; frame-ancestors 'none'; base-uri 'none'`
  return (
    policy +
    (script?.thirdParty ? thirdPartyPolicy(script, script.thirdParty) : ownScriptPolicy(script))
  )
}

/** A third-party script can connect only to its own hosts, and never to our site. */
function thirdPartyPolicy({ url, connect }: PageScript, thirdParty: ProcessorSources): string {
  const sources = {
    'script-src': [url, ...thirdParty.scripts],
    'connect-src': [...connect, ...thirdParty.connect],
    'frame-src': thirdParty.frames,
    'img-src': thirdParty.images,
    'worker-src': ["'none'"],
  }
  return Object.entries(sources)
    .map(([name, allowed]) => `; ${name} ${allowed.join(' ')}`)
    .join('')
}

/**
 * Requires Trusted Types, but allows no Trusted Types policy, so scripts can insert text into the page, but no markup.
 */
function ownScriptPolicy(script: PageScript | undefined): string {
  if (script === undefined) return ''
  const { url, modules = [], connect, dataImages } = script
  const images = dataImages ? '; img-src data:' : ''
  return `${images}; script-src ${[url, ...modules].join(' ')}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`
}

/** A hash is computed from the style itself, so that the two always match. */
const styleHashes = new Map<string, string>()
async function styleHash(style: string): Promise<string> {
  const cached = styleHashes.get(style)
  if (cached !== undefined) return cached
  const hash = btoa(String.fromCharCode(...(await sha256(style))))
  styleHashes.set(style, hash)
  return hash
}
