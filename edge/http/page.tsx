/**
 * Every page for people: its document, and the headers it goes out with. No script but the one file of a page that needs
 * it: what cannot run cannot be injected, and each form works by keyboard and with a screen reader as the browser made it.
 * How it looks is `page/style.ts`, what it is made of `console/parts.tsx`.
 */
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { Footer, Header, NameAlone } from './page/header.tsx'
import { contentSecurityPolicy, guardPage, type PageScript } from './page/policy.ts'
import { STYLE } from './page/style.ts'

type PageOptions = {
  /** The heading too, the page's only h1. */
  title: string
  status?: ContentfulStatusCode
  headers?: Record<string, string>
  script?: PageScript
  /** Further looks, for what this page alone is made of: a constant of ours. */
  style?: string
  /** For tables and what stands side by side. */
  wide?: boolean
  /** Without the look-up of who is signed in: for pages about a failure, which may be the database's. */
  anonymous?: boolean
  /** Without the session and without ways to the other pages: for one that runs a script of somebody else. */
  alone?: boolean
}

/** A whole page, with the headers that every page of ours has. `content` is headed from h2 on. */
export async function page(
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
  }: PageOptions,
  content: Child,
): Promise<Response> {
  guardPage(c)
  c.header(
    'Content-Security-Policy',
    await contentSecurityPolicy(style === undefined ? [STYLE] : [STYLE, style], script),
  )
  const session = anonymous ? 'unasked' : await signedIn(c)
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <style>{raw(STYLE)}</style>
        {style !== undefined && <style>{raw(style)}</style>}
      </head>
      <body {...(wide && { class: 'wide' })}>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {alone ? <NameAlone /> : <Header path={c.req.path} session={session} />}
        <main id="main" tabindex={-1}>
          <h1>{title}</h1>
          {content}
        </main>
        {!alone && <Footer session={session} />}
      </body>
    </html>
  )
  return c.html(html`<!doctype html>${document}`, status, headers)
}

type Link = { href: string; text: string }

/** A page that says one thing, and where to go from here. */
export function notice(
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
  return page(c, options, content)
}

/** 303 to a path of this site (RFC 9110 15.4.4: whatever the method was, the next is GET). */
export function seeOther(c: Context<AppEnv>, path: string): Response {
  guardPage(c)
  return c.redirect(path, 303)
}

/** The sign-in page, and back to `path` afterwards. */
export function signInPath(path: string): string {
  return `/sign-in?next=${encodeURIComponent(path)}`
}
