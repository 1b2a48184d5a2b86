import type { Context } from 'hono'
import type { ProcessorSources } from '../../payment/processor-sources.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { sha256 } from '../../sha256.ts'
import { type ScriptName, scriptUrl } from '../scripts/page-scripts.ts'

export type PageScript = {
  name: ScriptName
  /** Scripts that the page's script imports on demand. */
  modules?: readonly ScriptName[]
  /** Worker that a module starts. Its URL is created by the Trusted Types policy `<name>-worker`. */
  worker?: ScriptName
  /** Origins to which the scripts may connect. Default: this site, or none if the page has a third-party script. */
  connect?: readonly string[]
  /** Allows images in `data:` URLs, such as icons of wallets. Such images cause no requests. */
  dataImages?: true
  /**
   * Sources of a third-party script. Allow a third-party script only on pages that contain no data that must be hidden
   * from the script.
   */
  thirdParty?: ProcessorSources
}

/**
 * Sets headers that prevent caching, framing and Referers, because URLs contain secrets and challenges, and pages
 * contain CSRF tokens.
 */
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
 * @param formTarget source to which the response of a form may redirect, in addition to this site
 */
export async function contentSecurityPolicy(
  c: Context<AppEnv>,
  styles: readonly string[],
  script: PageScript | undefined,
  formTarget?: string,
): Promise<string> {
  const hashes = await Promise.all(styles.map(styleHash))
  const allowed = hashes.map((hash) => `'sha256-${hash}'`).join(' ')
  const action = script?.thirdParty ? "'none'" : ["'self'", formTarget].filter(Boolean).join(' ')
  const policy = `default-src 'none'; style-src ${allowed}; form-action ${action}; frame-ancestors 'none'; base-uri 'none'`
  if (!script) return policy
  const { name, modules = [], worker, thirdParty, dataImages = false } = script
  const urls = [name, ...modules].map((each) => scriptUrl(c, each))
  const site = new URL(c.var.services.settings.PUBLIC_URL).origin
  const connect = script.connect ?? (thirdParty ? [] : [site])
  return (
    policy +
    (thirdParty
      ? thirdPartyPolicy(urls, connect, thirdParty)
      : ownScriptPolicy(urls, connect, dataImages) + workerPolicy(c, worker))
  )
}

/** Policy for a page with a third-party script, which can connect only to its own hosts, and never to our site. */
function thirdPartyPolicy(
  urls: string[],
  connect: readonly string[],
  thirdParty: ProcessorSources,
): string {
  const sources = {
    'script-src': [...urls, ...thirdParty.scripts],
    'connect-src': [...connect, ...thirdParty.connect],
    'frame-src': thirdParty.frames,
    'img-src': thirdParty.images,
    'worker-src': ["'none'"],
  }
  return Object.entries(sources)
    .map(([name, allowed]) => `; ${name} ${allowed.join(' ')}`)
    .join('')
}

/** Policy for a page that runs only our own scripts. */
function ownScriptPolicy(urls: string[], connect: readonly string[], dataImages: boolean): string {
  const images = dataImages ? '; img-src data:' : ''
  return `${images}; script-src ${urls.join(' ')}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'`
}

/**
 * Allows no Trusted Types policy, so scripts can insert text into the page, but no markup. The exception creates the URL
 * of the page's worker.
 */
function workerPolicy(c: Context<AppEnv>, worker: ScriptName | undefined): string {
  if (!worker) return "; trusted-types 'none'"
  return `; trusted-types ${worker}-worker; worker-src ${scriptUrl(c, worker)}`
}

/**
 * Cached hashes of styles for the content security policy. Each hash is computed from the style itself, so that the two
 * always match.
 */
const styleHashes = new Map<string, string>()
async function styleHash(style: string): Promise<string> {
  const cached = styleHashes.get(style)
  if (cached !== undefined) return cached
  const hash = btoa(String.fromCharCode(...(await sha256(style))))
  styleHashes.set(style, hash)
  return hash
}
