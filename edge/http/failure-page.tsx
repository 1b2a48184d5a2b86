/** Renders failures as pages for people with a browser. Programs get JSON on every path (`refusal.ts`). */
import type { Context } from 'hono'
import type { ErrorStatus } from '../../shared/errors.ts'
import type { AppEnv } from './app-env.ts'
import { toApiError } from './failure.ts'
import { page } from './page.tsx'

/** Paths for programs, which get JSON regardless of their `Accept` header. */
const FOR_PROGRAMS = /^\/(api|core|webhook|agent\/requests|passkeys|\.well-known)(\/|$)/

/** Returns true if a browser shows the response to a person. Only browsers name HTML in `Accept`. */
export function isForPerson(request: Request): boolean {
  const takesHtml = /\btext\/html\b/i.test(request.headers.get('accept') ?? '')
  return takesHtml && !FOR_PROGRAMS.test(new URL(request.url).pathname)
}

/**
 * Renders the page of a failure.
 * @param refused the `refusal` response to the same error, already logged; the page reuses its headers
 */
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
      <p>{status === 404 ? 'The address may be mistyped, or what was here is gone.' : message}</p>
      {status !== 404 && <p>{fix}</p>}
      {status >= 500 && (
        <p class="note">
          If you report it, name this request: <code>{headers['x-request-id']}</code>
        </p>
      )}
      <p>
        <a href="/">Go to the first page</a>
      </p>
    </div>
  )
  const title = TITLES[status] ?? 'This cannot be done'
  return page(c, { title, status, headers, anonymous: true }, content)
}

const TITLES: Partial<Record<ErrorStatus, string>> = {
  404: 'There is nothing here',
  405: 'This page is opened in another way',
  429: 'That was too often',
  500: 'Something failed on our side',
  503: 'This does not work at the moment',
}
