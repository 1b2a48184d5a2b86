/**
 * Generates the error codes and the contract's reverts in `docs/errors.md` (`npm run errors-page`). A test checks that
 * the page is up to date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { listContractErrors } from '../origin/http/contract-errors.ts'
import { ERROR_CODES, type ErrorCode, type ErrorExplanation } from '../shared/errors/error-codes.ts'
import { ERROR_NAMES, type ErrorStatus } from '../shared/errors/error-names.ts'
import { ApiError } from '../shared/errors/api-error.ts'

export const ERRORS_PAGE = fileURLToPath(new URL('../docs/errors.md', import.meta.url))

export function errorsPage(page: string): string {
  return filled(filled(page, 'errors', errors()), 'refusals', refusals())
}

const filled = (page: string, mark: string, text: string) =>
  page.replace(new RegExp(`(<!-- ${mark} -->\n)[^]*?(<!-- end -->)`), (_, begin, end) =>
    [begin, text, '\n', end].join(''),
  )

function errors(): string {
  const statuses = Object.keys(ERROR_NAMES).map(Number) as ErrorStatus[]
  return statuses.map(ofStatus).join('\n\n')
}

function ofStatus(status: ErrorStatus): string {
  const codes: [string, ErrorExplanation][] = Object.entries(ERROR_CODES)
  const explained = codes
    .filter(([, { statuses }]) => statuses[0] === status)
    .map(([code, explanation]) => ofCode(code, explanation))
  const name = ERROR_NAMES[status].replaceAll('_', ' ')
  return [`## ${status} ${name}`, ...explained].join('\n\n')
}

function ofCode(code: string, { statuses, from, meaning, fix, again }: ErrorExplanation): string {
  return `### \`${code}\`

${meaning}

- **Returned by**: ${from}, with ${statuses.map((status) => answered(status, code)).join(' or ')}
- **What to do**: ${fix}
- **Retry**: ${again}`
}

/** Appends the response field `error` to the HTTP status if it differs from the error code. */
function answered(status: ErrorStatus, code: string): string {
  const { error } = new ApiError(status, '', '', { reason: code as ErrorCode })
  return error === code ? String(status) : `${status} \`${error}\``
}

function refusals(): string {
  const rows = listContractErrors().map(
    ({ code, status, message, fix }) => `| \`${code}\` | ${status} | ${message} | ${fix} |`,
  )
  return ['| `x-svc-error` | Status | Meaning | What to do |', '|---|---|---|---|', ...rows].join(
    '\n',
  )
}

if (import.meta.main) writeFileSync(ERRORS_PAGE, errorsPage(readFileSync(ERRORS_PAGE, 'utf8')))
