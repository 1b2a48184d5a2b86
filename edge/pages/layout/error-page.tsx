/** Error pages for people who use a browser. Programs receive errors as JSON on every path (`error-response.ts`). */
import type { Context } from 'hono'
import type { ErrorStatus } from '../../../shared/errors/error-names.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { toApiError } from '../../http/failure.ts'
import { renderPage } from './render-page.tsx'

/** Paths that return JSON errors regardless of the `Accept` header. */
const JSON_ONLY_PATHS =
  /^\/(api|core|mcp|oauth\/(token|revoke|device_authorization)|webhook|agent\/requests|passkeys|\.well-known)(\/|$)/

/** Only browsers list HTML in the `Accept` header. */
export function wantsErrorPage(request: Request): boolean {
  const acceptsHtml = /\btext\/html\b/i.test(request.headers.get('accept') ?? '')
  return acceptsHtml && !JSON_ONLY_PATHS.test(new URL(request.url).pathname)
}

/**
 * @param jsonResponse response of `toErrorResponse` for the same error, which has already been logged; its headers are
 *   reused
 */
export function errorPage(
  c: Context<AppEnv>,
  error: unknown,
  jsonResponse: Response,
): Promise<Response> {
  const { status, message, fix } = toApiError(error)
  const headers = Object.fromEntries(jsonResponse.headers)
  delete headers['content-type']
  const content = (
    <div class="card">
      <p>
        {status === 404 ? 'The address may be mistyped, or the page no longer exists.' : message}
      </p>
      {status !== 404 && <p>{fix}</p>}
      {status >= 500 && (
        <p class="note">
          If you report this, include the request ID: <code>{headers['x-request-id']}</code>
        </p>
      )}
      <p>
        <a href="/">Go to the home page</a>
      </p>
    </div>
  )
  const title = ERROR_TITLES[status] ?? 'Request failed'
  return renderPage(c, { title, status, headers, anonymous: true }, content)
}

const ERROR_TITLES: Partial<Record<ErrorStatus, string>> = {
  404: 'Page not found',
  405: 'Method not allowed',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}
