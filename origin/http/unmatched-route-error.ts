import { ApiError } from '../../shared/errors/api-error.ts'

const PATH_SHOWN_CHARACTERS = 200

export function unmatchedRouteError(
  { method, path }: { method: string; path: string },
  methods: string[],
): ApiError {
  if (methods.length === 0)
    return new ApiError(
      404,
      `No resource at ${path.length > PATH_SHOWN_CHARACTERS ? 'this path' : path}.`,
      'Check the path; API paths begin with /core/v1.',
    )
  const headers = { allow: methods.join(', ') }
  const fix = `Use ${methods.join(' or ')}.`
  return new ApiError(405, `${path} does not support ${method}.`, fix, { headers })
}
