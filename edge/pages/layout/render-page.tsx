/**
 * Renders pages. A page has at most one entry script and no inline scripts, so that injected scripts cannot run. Forms
 * rely on the browser's built-in support for keyboards and screen readers. Styles are in `page-style.ts`, and shared
 * components in `edge/browser/components/elements.tsx`.
 */
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { Footer, Header, BareHeader } from './header.tsx'
import {
  contentSecurityPolicy,
  setPageHeaders,
  type PageScript,
} from './content-security-policy.ts'
import { compactCss } from './compact-css.ts'
import { LIST_STYLE } from './list-style.ts'
import { PAGE_STYLE } from './page-style.ts'
import { scriptUrl } from '../scripts/page-scripts.ts'

type PageOptions = {
  /** Title of the page, which is also its only h1. */
  title: string
  status?: ContentfulStatusCode
  headers?: Record<string, string>
  script?: PageScript
  /** Additional CSS. Must be a constant, because the content security policy allows styles by their hash. */
  style?: string
  /** Uses the whole width of the content, for tables and columns. Other pages limit the length of their lines. */
  wide?: boolean
  /** False for a large page without a `ListTable`, which then omits its styles. */
  hasLists?: boolean
  /** Skips the session lookup. Set for error pages, because the database may have caused the error. */
  anonymous?: boolean
  /** Source to which the response of the page's form may redirect, such as `https://client.example`. */
  formTarget?: string
  /** Shown before the heading, at the left of the content on a large screen. */
  aside?: Child
  /** Omits the session and all links. Set for the page that runs a third-party script. */
  alone?: boolean
}

/** Headings in `content` must start at h2. */
export async function renderPage(
  c: Context<AppEnv>,
  {
    title,
    status = 200,
    headers = {},
    script,
    style,
    wide = false,
    anonymous = false,
    alone = false,
    aside,
    hasLists = true,
    formTarget,
  }: PageOptions,
  content: Child,
): Promise<Response> {
  setPageHeaders(c)
  const styles = [PAGE_STYLE, ...(hasLists ? [LIST_STYLE] : []), ...(style ? [style] : [])].map(
    compactCss,
  )
  c.header('Content-Security-Policy', await contentSecurityPolicy(c, styles, script, formTarget))
  const { banner } = ENVIRONMENTS[c.var.services.settings.SVC_ENV]
  const session = anonymous ? 'not_looked_up' : await currentSession(c)
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        {styles.map((css) => (
          <style>{raw(css)}</style>
        ))}
      </head>
      <body class={alone ? 'alone' : wide ? 'wide' : 'narrow'}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {banner !== undefined && (
          <p class="environment" role="note">
            {banner}
          </p>
        )}
        {alone ? <BareHeader /> : <Header path={c.req.path} session={session} />}
        <main id="main" tabindex={-1}>
          {aside}
          {aside ? (
            <div class="page">
              <h1>{title}</h1>
              {content}
            </div>
          ) : (
            <>
              <h1>{title}</h1>
              {content}
            </>
          )}
          {script && <script src={scriptUrl(c, script.name)} defer />}
        </main>
        {!alone && <Footer session={session} />}
      </body>
    </html>
  )
  return c.html(html`<!doctype html>${document}`, status, headers)
}

type Link = { href: string; text: string }

export function noticePage(
  c: Context<AppEnv>,
  { text, link = [], ...options }: PageOptions & { text: string; link?: Link | Link[] },
): Promise<Response> {
  const content = (
    <div class="card">
      <p>{text}</p>
      {[link].flat().map(({ href, text: words }) => (
        <p>
          <a href={href}>{words}</a>
        </p>
      ))}
    </div>
  )
  return renderPage(c, options, content)
}

/** Redirects to a path of this site with 303, so that the browser continues with a GET (RFC 9110, 15.4.4). */
export function seeOther(c: Context<AppEnv>, path: string): Response {
  setPageHeaders(c)
  return c.redirect(path, 303)
}

export function signInPath(path: string): string {
  return `/sign-in?next=${encodeURIComponent(path)}`
}
