import { ApiError } from '../../../shared/errors/api-error.ts'
import type { OriginServices } from '../../services.ts'
import { coreOpenApiDocument } from '../openapi/document.ts'
import type { OriginApp } from '../operation.ts'
import { operations } from '../operations.ts'
import { environmentBanner } from '../environment-banner.ts'
import { swaggerUiPage, swaggerUiFiles } from './files.ts'

const PAGE_PATH = '/core/v1/swagger-ui'

/**
 * Content security policy of the page, which loads and calls only this origin. Icons are `data:` images in the style
 * sheet.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  vary: 'accept',
}

/** Browsers revalidate after a day, and download a file again only if it has changed. */
const FILE_CACHE = 'public, max-age=86400'

export function mountApiDescription(app: OriginApp, { settings }: OriginServices): void {
  let text: string | undefined
  const description = () =>
    (text ??= JSON.stringify(coreOpenApiDocument(operations, settings.SVC_PUBLIC_URL)))
  const files = swaggerUiFiles()
  const banner = environmentBanner(settings.SVC_ENV)
  const json = { 'content-type': 'application/json', 'cache-control': 'no-cache' }

  app.get('/core/v1/openapi.json', (context) => context.body(description(), 200, json))
  app.get(PAGE_PATH, (context) => {
    // Browsers accept text/html explicitly; all other clients get JSON.
    const wantsPage = context.req.header('accept')?.includes('text/html') === true
    if (wantsPage) return context.body(swaggerUiPage(banner), 200, PAGE_HEADERS)
    return context.body(description(), 200, { ...json, vary: 'accept' })
  })
  app.get(`${PAGE_PATH}/:file`, (context) => {
    const file = files.get(context.req.param('file'))
    if (!file) throw new ApiError(404, 'File not found.', `${PAGE_PATH} links to all its files.`)
    const headers = { etag: file.etag, 'cache-control': FILE_CACHE }
    if (context.req.header('if-none-match') === file.etag) return context.body(null, 304, headers)
    const content = { 'content-type': file.type, 'x-content-type-options': 'nosniff' }
    return context.body(file.bytes, 200, { ...headers, ...content })
  })
}
