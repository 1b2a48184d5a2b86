/**
 * The layout and the headers of every page for people. No script but the one file of a page that needs it: what cannot
 * run cannot be injected, and each form works by keyboard and with a screen reader as the browser made it.
 */
import type { Context } from 'hono'
import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { AppEnv } from './app-env.ts'

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1a1c1e, #e8eaed); --paper: light-dark(#fff, #17191c);
  --soft: light-dark(#5a6067, #a4abb3); --line: light-dark(#8b929a, #7a828b); --act: light-dark(#0b57d0, #a8c7fa);
  --on-act: light-dark(#fff, #062e6f); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
a { color: var(--act); }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input, button { font: inherit; border-radius: .5rem; padding: .625rem 1rem; }
input { width: 100%; color: inherit; background: transparent; border: 1px solid var(--line); }
button { margin: 1rem .5rem 0 0; border: 1px solid var(--act); background: var(--act); color: var(--on-act); cursor: pointer; }
button.quiet { background: transparent; color: var(--act); }
button.armed { animation: arm 1s step-end; }
@keyframes arm { from { pointer-events: none; opacity: .5; } }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
.code { font: 600 1.75rem/1.5 ui-monospace, monospace; letter-spacing: .06em; }
pre { overflow-x: auto; white-space: pre-wrap; }
dt { font-weight: 600; }
dd { margin: 0 0 .5rem; font-family: ui-monospace, monospace; font-size: .875rem; }
li { margin-bottom: .5rem; }
.note { color: var(--soft); }
.warn { border-left: 4px solid var(--act); padding-left: .75rem; }
`

type PageOptions = {
  title: string
  status?: ContentfulStatusCode
  headers?: Record<string, string>
  /** The one script that the page may run, and the origins that it may ask. */
  script?: { url: string; connect: string[] }
}

/** A whole page, with the headers that every page of ours has. */
export async function page(
  c: Context<AppEnv>,
  { title, status = 200, headers = {}, script }: PageOptions,
  content: Child,
): Promise<Response> {
  guardPage(c)
  c.header('Content-Security-Policy', (await contentSecurityPolicy()) + scriptPolicy(script))
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <style>{raw(STYLE)}</style>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          {content}
        </main>
      </body>
    </html>
  )
  return c.html(html`<!doctype html>${document}`, status, headers)
}

/** A page that says one thing, and where to go from here. */
export function notice(
  c: Context<AppEnv>,
  { text, link, ...options }: PageOptions & { text: string; link?: { href: string; text: string } },
): Promise<Response> {
  const content = (
    <>
      <p>{text}</p>
      {link && (
        <p>
          <a href={link.href}>{link.text}</a>
        </p>
      )}
    </>
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

/** Addresses here carry secrets and challenges, and pages carry form tokens: not in a cache, a Referer or a frame. */
function guardPage(c: Context<AppEnv>): void {
  c.header('Cache-Control', 'no-store')
  c.header('Referrer-Policy', 'no-referrer')
  c.header('X-Frame-Options', 'DENY')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Cross-Origin-Opener-Policy', 'same-origin')
  c.header('Cross-Origin-Resource-Policy', 'same-origin')
}

/** All that its script writes into the page is text: what would be markup is refused by the browser. */
function scriptPolicy(script: PageOptions['script']): string {
  if (script === undefined) return ''
  const { url, connect } = script
  return `; script-src ${url}; connect-src ${connect.join(' ')}; require-trusted-types-for 'script'; trusted-types 'none'`
}

let policy: string | undefined

/** The style is let in by its hash; computed from the text itself, so the two cannot drift apart. */
async function contentSecurityPolicy(): Promise<string> {
  if (policy) return policy
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(STYLE))
  const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
  policy = `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`
  return policy
}
