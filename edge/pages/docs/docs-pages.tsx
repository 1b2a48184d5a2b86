/**
 * Serves the repository's documents as pages, and as Markdown sources (such as `/docs/deploy.md`). The documents are
 * public and cacheable, and require neither a session nor the database.
 */
import type { Context } from 'hono'
import { raw } from 'hono/html'
import type { Child, FC } from 'hono/jsx'
import { ApiError } from '../../../shared/errors/api-error.ts'
import type { Heading } from '../../../shared/documents/markdown.ts'
import { DECISIONS, docsPath } from '../../docs/document-paths.ts'
import {
  decisions,
  type DocumentLink,
  pagePathOf,
  sections,
  findDocument,
} from '../../docs/catalog.ts'
import { linkResolver } from '../../docs/link-resolver.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { withEtag } from '../../http/etag.ts'
import { renderPage } from '../layout/render-page.tsx'
import { DocsNavigation, sectionId } from './docs-navigation.tsx'
import { DOCS_STYLE } from './docs-style.ts'

export function registerDocsPages(app: App): void {
  app.get('/docs', (c) => cachedPage(c, () => docsPage(c, 'Documentation', <Contents />)))
  app.get('/docs/:name', (c) => showDocument(c, c.req.param('name')))
  app.get('/docs/:folder/:name', (c) =>
    showDocument(c, `${c.req.param('folder')}/${c.req.param('name')}`),
  )
}

async function showDocument(c: Context<AppEnv>, requested: string): Promise<Response> {
  if (requested === DECISIONS)
    return cachedPage(c, () => docsPage(c, 'Decisions', <DocumentList documents={decisions()} />))
  const name = requested.replace(/\.md$/, '')
  const source = findDocument(name)
  if (!source)
    throw new ApiError(404, 'Document not found.', 'See /docs for the list of documents.')
  const { default: text } = await source.load()
  if (requested !== name)
    return withEtag(c, text, {
      'content-type': 'text/markdown; charset=utf-8',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
  return cachedPage(c, async () => {
    const { renderMarkdown } = await import('../../../shared/documents/markdown.ts')
    const { title, html, headings } = renderMarkdown(text, linkResolver(source.file, pagePathOf))
    return docsPage(
      c,
      title,
      <>
        <OnThisPage headings={headings} />
        <div class={isReference(name) ? 'doc reference' : 'doc'}>{raw(html)}</div>
        <p class="note">
          <a href={`${docsPath(name)}.md`}>This page as Markdown</a> ·{' '}
          <a href="/docs">All documents</a>
        </p>
      </>,
    )
  })
}

function docsPage(c: Context<AppEnv>, title: string, content: Child): Promise<Response> {
  const script = { name: 'docs', modules: ['docs-search'], connect: ["'none'"] } as const
  const aside = <DocsNavigation path={c.req.path} />
  return renderPage(
    c,
    { title, script, style: DOCS_STYLE, anonymous: true, wide: true, hasLists: false, aside },
    content,
  )
}

/** The pages are identical for all clients. */
const renderedPages = new Map<string, { text: string; headers: Headers }>()

async function cachedPage(c: Context<AppEnv>, render: () => Promise<Response>): Promise<Response> {
  const { PUBLIC_URL, SVC_ENV } = c.var.services.settings
  const key = `${SVC_ENV} ${PUBLIC_URL}${c.req.path}`
  let cached = renderedPages.get(key)
  if (!cached) {
    const rendered = await render()
    cached = { text: await rendered.text(), headers: rendered.headers }
    renderedPages.set(key, cached)
  }
  return withEtag(c, cached.text, Object.fromEntries(cached.headers))
}

const Contents = () => (
  <>
    <p class="lead">
      Guides, reference and design, from your first run to your own deployment. Agents can read{' '}
      <a href="/SKILL.md">SKILL.md</a>, and every page as Markdown.
    </p>
    {sections().map(({ title, documents }) => (
      <section>
        <h2 id={sectionId(title)}>{title}</h2>
        <DocumentList documents={documents} />
      </section>
    ))}
  </>
)

const DocumentList: FC<{ documents: DocumentLink[] }> = ({ documents }) => (
  <ul class="documents">
    {documents.map(({ href, title, lead }) => (
      <li>
        <a href={href}>{title}</a>
        {lead !== '' && <span>{lead}</span>}
      </li>
    ))}
  </ul>
)

const OPEN_HEADINGS_MAX = 6

const OnThisPage: FC<{ headings: Heading[] }> = ({ headings }) => {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < 2) return null
  return (
    <details class="contents" open={shown.length <= OPEN_HEADINGS_MAX}>
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {shown.map(({ id, text }) => (
            <li>
              <a href={`#${id}`}>{text}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  )
}

/** The API reference has tables with fixed columns, which would otherwise move while the rows of a long page arrive. */
const isReference = (name: string) => /^(?:api|core-api)\//.test(name)
