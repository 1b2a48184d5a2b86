/** Error pages for people who use a browser. Programs receive JSON on every path (`refusal.ts`). */
import type { Context } from 'hono'
import type { ErrorStatus } from '../../shared/error-names.ts'
import type { AppEnv } from './app-env.ts'
import { toApiError } from './failure.ts'
import { page } from './page.tsx'

/** Paths that return JSON errors regardless of the `Accept` header. */
const FOR_PROGRAMS = /^\/(api|core|webhook|agent\/requests|passkeys|\.well-known)(\/|$)/

/** Only browsers list HTML in the `Accept` header. */
export function isForPerson(request: Request): boolean {
  const takesHtml = /\btext\/html\b/i.test(request.headers.get('accept') ?? '')
  return takesHtml && !FOR_PROGRAMS.test(new URL(request.url).pathname)
}

/** @param refused response of `refusal` for the same error, which is already logged; the page reuses its headers */
export function failurePage(
  c: Context<AppEnv>,
  error: unknown,
  refused: Response,
): Promise<Response> {
  const { status, message, fix } = toApiError(error)
  const headers = Object.fromEntries(refused.headers)
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
  const title = TITLES[status] ?? 'Request failed'
  return page(c, { title, status, headers, anonymous: true }, content)
}

const TITLES: Partial<Record<ErrorStatus, string>> = {
  404: 'Page not found',
  405: 'Method not allowed',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}
