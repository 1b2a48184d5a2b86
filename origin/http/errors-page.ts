/** Serves `GET /docs/errors`, so that the `docs_url` of this origin's errors works without an edge. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ERRORS_PATH } from '../../shared/errors/api-error.ts'
import { escape } from '../../shared/documents/escape.ts'
import { renderMarkdown } from '../../shared/documents/markdown.ts'
import type { OriginServices } from '../services.ts'
import { environmentBanner } from './environment-banner.ts'
import type { OriginApp } from './operation.ts'

const SOURCE = new URL('../../docs/errors.md', import.meta.url)

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 48rem; margin: 2rem auto; padding-inline: 1.25rem; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
h2 { margin-top: 2.5rem; } h3 { margin: 2rem 0 .5rem; }
code, pre { font: .875em ui-monospace, monospace; overflow-wrap: anywhere; }
pre, .scroll { overflow-x: auto; }
table { min-width: 32rem; border-collapse: collapse; font-size: .875rem; }
th, td { padding: .375rem .75rem .375rem 0; border-bottom: 1px solid; text-align: left; vertical-align: top; }
:target { text-decoration: underline; text-underline-offset: .3em; }
`

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'public, max-age=300',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function mountErrorsPage(
  app: OriginApp,
  { settings }: Pick<OriginServices, 'settings'>,
): void {
  let page: string | undefined
  const banner = environmentBanner(settings.SVC_ENV)
  app.get(ERRORS_PATH, (context) => context.body((page ??= errorsPage(banner)), 200, HEADERS))
}

/** Links to other documents become plain text, because the origin does not serve them. */
function errorsPage(banner: string): string {
  const resolve = (href: string) => (href.startsWith('#') ? href : undefined)
  const { title, html } = renderMarkdown(readFileSync(SOURCE, 'utf8'), resolve)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${banner}<main>
<h1>${escape(title)}</h1>
${html}</main>
</body>
</html>
`
}
